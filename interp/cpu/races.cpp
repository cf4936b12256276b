// Races of programs: accesses that nothing orders, and what would order them.
#include "interp/cpu/shadow_parts.h"

namespace tl::cpu {

namespace {

const char* word_of(AtomicOrder o) {
  return o == AtomicOrder::relaxed   ? "relaxed"
         : o == AtomicOrder::acquire ? "acquire"
         : o == AtomicOrder::release ? "release"
                                     : "acq_rel";
}

}  // namespace

// What would order the two programs: an atomic on which they met, if there is one, else elements of their own.
std::string Shadow::race_fix(const Where& w, const Lanes& l, const History& s, std::int32_t other, std::int64_t time,
                             bool with_atomic) const {
  const std::int32_t me = number_of(w.state);
  const Notation notation = notation_of(w);
  const auto at = [&](const Meeting& m) {
    return fmt::format("line {} ({} = \"{}\"{})", m.site.line, notation.option("sem"), word_of(m.order),
                       m.reach == AtomicReach::cta ? fmt::format(", {} = \"cta\"", notation.option("scope")) : "");
  };
  const Meeting *past = nullptr, *released = nullptr;  // where the other one has been and this program has not
  const Meeting* early = nullptr;                      // released before the other one's access
  for (const auto& [cell, all] : meetings_) {
    const Meeting *mine = nullptr, *before = nullptr, *after = nullptr;  // the other's: before its access and after it
    for (const auto& [key, m] : all) {
      const std::int32_t program = std::get<0>(key);
      if (program == me) mine = mine && mine->acquires() ? mine : &m;
      else if (program != other && other >= 0) continue;
      else if (m.time < time) before = &m;
      else after = after && after->releases() ? after : &m;
    }
    if (mine && before && !after && mine->acquires() && before->releases()) early = before;
    if (!mine && after) released = after;
    else if (!mine && before) past = before;
    if (!mine || !after) continue;
    if (mine->reach == AtomicReach::cta || after->reach == AtomicReach::cta)
      return fmt::format(
          "the atomics that should order them reach one program's threads alone, {} and {}: give them {}", at(*after),
          at(*mine), notation.options({{"scope", "\"gpu\""}}));
    if (!after->releases() || !mine->acquires())
      return fmt::format(
          "they meet at the atomics of {} and {}, which order too little: the first needs release, the "
          "second acquire (acq_rel is both)",
          at(*after), at(*mine));
    return fmt::format(
        "the atomics of {} and {} happened in this order by chance: wait until the value says that the "
        "other program is done",
        at(*after), at(*mine));
  }
  if (early)
    return fmt::format("that program said by the atomic of {} that it is done, and went on: let the atomic come last",
                       at(*early));
  if (l.kind == trace::AccessKind::atomic)
    return fmt::format(
        "its plain access is no atomic, so that nothing orders them: read the element there by "
        "tl.atomic_add(.., 0), set it by tl.atomic_xchg(.., {})",
        notation.options({{"sem", "\"release\""}}));
  if (with_atomic && l.kind == trace::AccessKind::store)
    return fmt::format("other programs change this element by atomics: set it by tl.atomic_xchg(.., {}), too",
                       notation.options({{"sem", "\"release\""}}));
  if (s.is_update)
    return "programs load this element, change it and store it, and one's change alone stays: use tl.atomic_add, or "
           "give each program elements of its own";
  if (past && (l.writes() || !released))
    return fmt::format(
        "that program has gone past the atomic of {} without waiting for this one: let it wait until the "
        "value says that this one is done",
        at(*past));
  if (released)
    return fmt::format(
        "that program is done at the atomic of {}: wait at an atomic on the same element, until its "
        "value says so",
        at(*released));
  if (l.kind == trace::AccessKind::load && l.count == 1)
    return fmt::format(
        "a flag of another program is read by an atomic, tl.atomic_add(.., 0, {}), and set by "
        "tl.atomic_xchg with \"release\"; other elements: each program its own",
        notation.options({{"sem", "\"acquire\""}}));
  return "give each program elements of its own (do the offsets use program_id?), or use tl.atomic_add";
}

std::optional<Shadow::Access> Shadow::unordered(std::int32_t me, Access a) const {
  const auto is_unordered = [&](const Access& one) {
    return one.program != me && !order_.comes_before(me, one.program, one.time);
  };
  if (a.program == -1) return {};
  if (a.program >= 0) return is_unordered(a) ? std::optional(a) : std::nullopt;
  for (std::int32_t at = a.program; at < -1; at = past_[static_cast<std::size_t>(-2 - at)].before)
    if (const Access& one = past_[static_cast<std::size_t>(-2 - at)].access; is_unordered(one)) return one;
  return {};
}

// Adds this access; those that come before it count no more.
void Shadow::join(std::int32_t me, std::int32_t& program, std::int64_t& time) {
  const std::pair was(program, time);
  time = order_.now();
  if (!unordered(me, {was.first, was.second})) {
    program = me;
    return;
  }
  std::int32_t& list = joined_[was];  // neighbouring elements share it
  if (list == 0) {
    const auto add = [&](Access a, std::int32_t before) {
      past_.push_back({a, before});
      return static_cast<std::int32_t>(-1 - std::ssize(past_));
    };
    list = add({me, order_.now()}, was.first < -1 ? was.first : add({was.first, was.second}, -1));
  }
  program = list;
}

void Shadow::check_race(const Where& w, const Lanes& l) {
  const Grid& g = w.state.launch.launch.grid;
  const ProgramId& p = w.state.program;
  const std::int32_t me = number_of(w.state);
  bool found = false;
  order_.step();
  joined_.clear();
  check_threads(w, l);
  for_each_history(l, [&](History& s, std::int64_t lane, std::int64_t e) {
    std::optional<Access> other = unordered(me, {s.writer, s.written});
    const char* did = "wrote";
    if (!other && l.kind != trace::AccessKind::atomic && (other = unordered(me, {s.atomic, s.changed})))
      did = "atomically changed";
    else if (!other && l.writes() && (other = unordered(me, {s.reader, s.read}))) did = "read";
    if (other && !found) {
      found = true;
      Fault f = fault_at(w, FaultKind::race, l, lane, e);
      f.headline = fmt::format("{}: program {} races with {}", trace::text_of(w.op), text_of(p, g),
                               text_of_program(w, other->program));
      f.detail = fmt::format("lane {} {} {}, which {} {}", lane, l.writes() ? "writes" : "reads", element_text(l, e),
                             text_of_program(w, other->program), did);
      f.fix = alias_of(l, e).empty()
                  ? race_fix(w, l, s, other->program, other->time, did == std::string_view("atomically changed"))
                  : one_memory;
      report(w.state, std::move(f));
    }
    if (!l.writes()) return join(me, s.reader, s.read);
    if (l.kind == trace::AccessKind::atomic) return join(me, s.atomic, s.changed);
    join(me, s.writer, s.written);
    s.reader = -1;  // who comes after this store comes after them
  });
}

}  // namespace tl::cpu
