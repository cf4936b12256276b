#include "interp/triton/launch.h"

#include <fmt/format.h>

#include <atomic>

#include "interp/triton/arguments.h"
#include "interp/triton/emit.h"

namespace tl::triton {

using cpu::AnyValue;

namespace {

// What a program starts with.
struct Start {
  std::shared_ptr<Specialized> specialized;
  const Routine* routine = nullptr;
  std::vector<Argument> arguments = {};
  std::vector<Given> given = {};      // one a parameter
  std::vector<Value> constants = {};  // by parameter; unknown, in part or whole: bound by each program
  std::vector<int> tensors_before = {};
  Refusals refusals = {};
  std::atomic<bool> notes_refusals = false;
};

// Where `of` says what an argument is.
template <class Of>
Value value_of(const Given& g, const Of& of) {
  if (const auto* argument = std::get_if<std::size_t>(&g.is)) return of(*argument);
  if (const auto* known = std::get_if<Value>(&g.is)) return *known;
  cpu::Elements all({});
  for (const Given& element : std::get<std::vector<Given>>(g.is)) all.push_back(value_of(element, of).data);
  all.names = g.names;
  return AnyValue(std::make_shared<const cpu::Elements>(std::move(all)));
}

void run_program(Start& start, cpu::Context& tl) {
  const auto of = [&](std::size_t i) { return bound(tl, start.arguments[i], start.tensors_before[i]); };
  Variables arguments(start.given.size());
  for (std::size_t i = 0; i < start.given.size(); ++i)
    arguments[i] = is_known_whole(start.constants[i].data) ? start.constants[i] : value_of(start.given[i], of);
  Course course;
  if (start.notes_refusals) course.refusals = &start.refusals;
  call(tl, *start.routine, course, arguments.all(), start.routine->place, 0);
}

constexpr std::size_t most_routines = 1000;  // then they are made anew: a constant may be another at each launch

// A launch's function, by which its start is found again.
struct Walk {
  std::shared_ptr<Start> start;
  void operator()(cpu::Context& tl) const { run_program(*start, tl); }
};

}  // namespace

bool note_refusals(const Launch& launch) {
  const Walk* const walk = launch.on_cpu.target<Walk>();
  if (walk) walk->start->notes_refusals = true;
  return walk;
}

std::vector<Refusal> refusals_of(const Launch& launch) {
  const Walk* const walk = launch.on_cpu.target<Walk>();
  return walk ? walk->start->refusals.all() : std::vector<Refusal>();
}

Launch Kernel::launch(Grid grid, LaunchOptions options, std::vector<Argument> arguments, std::vector<Given> given) {
  const auto& parameters = definition_.parameters();
  if (given.empty()) {
    given.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) given[i].is = i;
  }
  if (given.size() > parameters.size())
    throw Error(
        fmt::format("{} takes {} arguments, and {} are given", definition_.name(), parameters.size(), given.size()),
        "give one for each parameter");
  for (std::size_t i = given.size(); i < parameters.size(); ++i)
    if (!parameters[i].fallback)
      throw Error(fmt::format("{} is launched without {}", definition_.name(), parameters[i].name), "give it a value");
  const auto start = std::make_shared<Start>();
  start->arguments = arguments;
  start->given = std::move(given);
  int tensors = 0;
  for (const Argument& a : arguments) {
    start->tensors_before.push_back(tensors);
    tensors += kind_of(a) == 't' || kind_of(a) == 'd';
  }
  for (const Given& g : start->given)
    start->constants.push_back(value_of(g, [&](std::size_t i) { return constant_of(arguments[i]); }));
  const std::lock_guard lock(mutex_);
  if (!specialized_ || specialized_->count() > most_routines) specialized_ = std::make_shared<Specialized>(program_);
  start->specialized = specialized_;
  try {
    start->routine = &specialized_->routine(definition_, start->constants);
  } catch (...) {
    specialized_ = nullptr;  // it holds what is half made
    throw;
  }
  return {.kernel = definition_.name(),
          .source = definition_.module->tree->source.file,
          .grid = grid,
          .options = options,
          .arguments = std::move(arguments),
          .on_cpu = Walk{start},
          .in_cpp = [start, kernel = definition_](const CppStyle& style) {
            return emitted({kernel, *start->routine, start->arguments, start->given}, style);
          }};
}

Launch launch_of(std::shared_ptr<Program> program, const Definition& kernel, Grid grid, LaunchOptions options,
                 std::vector<Argument> arguments, std::vector<Given> given) {
  return Kernel(std::move(program), kernel).launch(grid, options, std::move(arguments), std::move(given));
}

}  // namespace tl::triton
