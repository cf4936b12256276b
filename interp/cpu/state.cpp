// What happens around every op: events for an observer, limits, the stop flag; and how a failure is said.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "interp/cpu/absent.h"
#include "interp/cpu/checks.h"
#include "interp/cpu/exploration.h"
#include "interp/cpu/recording.h"
#include "interp/cpu/replay.h"
#include "interp/cpu/symbols.h"
#include "interp/cpu/turns.h"

namespace tl::cpu {

namespace {

constexpr std::int64_t ops_between_looks = 1024;
constexpr std::int64_t polls_alone = 100'000;  // of a program that all others have ended before

trace::Value value_for_observer(const Value& d) {
  trace::Value v;
  v.id = d.id;
  v.dtype = d.element_dtype();
  v.tensor = d.is_pointer ? d.tensor : -1;
  v.shape = {d.dims, d.rank};
  v.dense = [](const void* p) -> const std::byte* {
    const Value& of = *static_cast<const Value*>(p);
    return is_absent(of) ? nullptr : flat(of);
  };
  v.object = &d;
  return v;
}

}  // namespace

namespace {
const char* mending_of_waits(const LaunchState& launch) {
  return launch.options.observer && !launch.options.turns && launch.launch.grid.programs() > 1
             ? "programs that are recorded run one after the other, and this one may wait for a later one: `tilescope "
               "run`, without --print, lets them take turns"
             : "let a program wait only for what another one surely writes, or start fewer programs";
}
}  // namespace

void State::begin_program(ProgramId id, trace::Keep keep) {
  sum_passes.clear();
  program = id;
  last_op = {.program = id};
  keeps_values = keep == trace::Keep::values;
  keeps_accesses = keep != trace::Keep::nothing;
  tracks_undefined = launch.options.checks.undefined_lane;
  last_id = 0;
  ops = 0;
  quiet = 0;
  barriers = 0;
  nans.begin_program();
  earlier.begin_program();
  undefined_by.clear();
  literal_count = 0;
  stop_polling();
  listen_for_names(keeps_values && launch.options.observer);
  if (launch.options.symbols) launch.options.symbols->begins_program();
  wants_literals = keeps_values || replay || launch.options.symbols;
  const bool every =
      keeps_accesses || recording || exploration || replay || launch.options.checks.nan || launch.options.symbols;
  ops_left = ops_granted = every                     ? 1
                           : launch.options.op_limit ? std::min(launch.options.op_limit, ops_between_looks)
                                                     : ops_between_looks;
}

void State::look_at_limits(const Where& where) const {
  const RunOptions& options = launch.options;
  if (options.is_over())
    fail(where, FaultKind::stopped, "stopped in program " + text_of(program, launch.launch.grid), "", "");
  if (!options.op_limit || ops < options.op_limit) return;
  if (polls > ops_between_looks)
    fail(where, FaultKind::deadlock,
         fmt::format("program {} waits for a value that no running program writes",
                     text_of(program, launch.launch.grid)),
         fmt::format("it read the same element {} times", polls), mending_of_waits(launch));
  fail(where, FaultKind::stopped,
       fmt::format("program {} took {} ops, its limit", text_of(program, launch.launch.grid), ops), "",
       "raise the limit, or look for a loop that never ends");
}

void State::on_op(Op op, Location location, const Value* const* operands, int operand_count,
                  const Value* const* results, int result_count, const trace::Access* access, std::string_view text) {
  if (exploration) {
    ops_left = ops_granted = 1;
    exploration->op({*this, op, location}, {operands, static_cast<std::size_t>(operand_count)}, access, text);
    return;
  }
  ops += ops_granted - ops_left;
  ops_left = ops_granted = 1;
  const RunOptions& options = launch.options;
  const Where where{*this, op, location};
  look_at_limits(where);
  if (recording) {
    const std::span<const Value* const> in(operands, static_cast<std::size_t>(operand_count)),
        out(results, static_cast<std::size_t>(result_count));
    recording->op(where, in, out, access, text);
    if (!options.observer) return;
  }
  if (replay) {
    replay->on_op(where, {operands, static_cast<std::size_t>(operand_count)},
                  {results, static_cast<std::size_t>(result_count)}, access, text == trace::text_of_tf32);
  }
  const auto literals_of_op = static_cast<std::size_t>(std::exchange(literal_count, 0));
  if (options.symbols)
    options.symbols->op(where, {operands, static_cast<std::size_t>(operand_count)},
                        {results, static_cast<std::size_t>(result_count)}, {literals, literals_of_op}, access);
  if (earlier.are_followed())
    earlier.op(where, {operands, static_cast<std::size_t>(operand_count)},
               {results, static_cast<std::size_t>(result_count)}, {literals, literals_of_op});
  else if (!(keeps_accesses || recording || replay || options.checks.nan || options.symbols)) {
    ops_left = ops_granted = ops_between_looks;
    if (options.op_limit) ops_left = ops_granted = std::min(ops_left, options.op_limit - ops);
  }
  if (options.checks.nan && !quiet)
    nans.op(where, {operands, static_cast<std::size_t>(operand_count)},
            {results, static_cast<std::size_t>(result_count)}, access);
  if (!options.observer || quiet || !(keeps_values || (keeps_accesses && access))) return;
  if (keeps_values) tell_numbers();
  constexpr int most = 8;
  trace::Value in[most], out[most];
  operand_count = std::min(operand_count, most);
  result_count = std::min(result_count, most);
  int n = 0;
  for (int i = 0; i < operand_count; ++i)
    if (operands[i]) in[n++] = value_for_observer(*operands[i]);
  for (int i = 0; i < result_count; ++i) out[i] = value_for_observer(*results[i]);
  trace::OpEvent event{.op = op,
                       .site = location.site(),
                       .operands = {in, static_cast<std::size_t>(n)},
                       .results = {out, static_cast<std::size_t>(result_count)},
                       .access = access,
                       .text = text,
                       .literals = {literals, literals_of_op}};
  options.observer->op(event);
}

void State::decide(const Value& v, bool is_condition) { launch.shadow->decide(*this, v, is_condition); }

void State::note_literal(unsigned char position, const Literal& literal) {
  tell_literal(position, literal);
  if (replay) replay->on_literal(position, literal);
  if (literal.kind != LiteralKind::real) note({position, literal.is_constant, literal.integer, 0});
}

void State::tell_literal(unsigned position, const Literal& l) {
  if (launch.options.literals && keeps_values && !quiet)
    launch.options.literals->literal(static_cast<unsigned char>(position),
                                     l.kind == LiteralKind::real ? l.real : static_cast<double>(l.integer));
}

void State::stop_polling() {
  polls = 0;
  if (is_stuck) --launch.stuck;
  is_stuck = false;
}

// Programs that only poll change nothing: once all that run are at it, none will ever go on.
void State::polled(const Where& where, int tensor, std::int64_t element) {
  constexpr std::int64_t polls_a_turn = 8;  // what a recorder keeps of them is to be short, and a deadlock's end near
  ++polls;
  const Turns::Passed passed =
      launch.turns && polls % polls_a_turn == 0 ? launch.turns->pass(writes) : Turns::Passed::alone;
  if (passed == Turns::Passed::to_others) {
    if (launch.options.turns) launch.options.turns->program_goes_on(program);
    return;
  }
  if (passed != Turns::Passed::stuck) {
    if (polls < (launch.turns ? polls_alone : launch.options.poll_limit)) return;
    if (!is_stuck) {
      is_stuck = true;
      ++launch.stuck;
    }
    if (launch.stuck < launch.running) return std::this_thread::yield();
  }
  const std::int64_t not_begun = launch.turns ? launch.turns->not_begun() : 0;
  Fault f = make_fault(
      where, FaultKind::deadlock,
      fmt::format("program {} waits for a value that no running program writes", text_of(program, launch.launch.grid)),
      fmt::format("it read element {} of \"{}\" {} times{}", element,
                  launch.tensors[static_cast<std::size_t>(tensor)].name, polls,
                  not_begun > 0 ? fmt::format("; {} programs have not begun: the chip holds {} at once", not_begun,
                                              launch.options.programs_at_once)
                                : ""),
      mending_of_waits(launch));
  f.tensor = launch.tensors[static_cast<std::size_t>(tensor)].name;
  f.element = element;
  fail(std::move(f));
}

std::string text_of(ProgramId p, const Grid& grid) {
  if (grid.z > 1) return fmt::format("({}, {}, {})", p.x, p.y, p.z);
  if (grid.y > 1) return fmt::format("({}, {})", p.x, p.y);
  return std::to_string(p.x);
}

std::string text_of_shape(const std::int64_t* dims, int rank) {
  std::string s = "(";
  for (int i = 0; i < rank; ++i) s += (i ? ", " : "") + std::to_string(dims[i]);
  return s + (rank == 1 ? ",)" : ")");
}

Fault make_fault(const Where& w, FaultKind kind, std::string fact, std::string detail, std::string fix) {
  Fault f;
  f.kind = kind;
  f.site = w.location.site();
  f.program = w.state.program;
  if (!fact.starts_with("tl.")) fact = notation_of(w).op(w.op) + ": " + fact;
  f.headline = std::move(fact);
  f.detail = std::move(detail);
  f.fix = std::move(fix);
  return f;
}

void fail(Fault f) { throw FaultError(std::move(f)); }

void fail(const Where& w, FaultKind kind, std::string fact, std::string detail, std::string fix) {
  throw FaultError(make_fault(w, kind, std::move(fact), std::move(detail), std::move(fix)));
}

void report(State& s, Fault f) {
  const auto known = std::ranges::find_if(s.reported, [&](const Fault& g) { return is_same_place(f, g); });
  if (known != s.reported.end()) {
    // Where programs run in parallel, an earlier one may come later.
    const auto number = [&](const ProgramId& p) { return std::tuple(p.z, p.y, p.x); };
    if (s.launch.options.order != Order::parallel || number(known->program) <= number(f.program)) return;
    s.reported.erase(known);
  }
  if (s.keeps_accesses) s.launch.options.observer->fault(f);  // the others' faults are told when their batch has ended
  s.reported.push_back(std::move(f));
}

}  // namespace tl::cpu
