#include "interp/triton/launch.h"

#include <fmt/format.h>

#include <atomic>

#include "interp/triton/specialize.h"

namespace tl::triton {

using cpu::AnyValue;

namespace {

// What a program starts with.
struct Start {
  Start(const std::shared_ptr<Program>& program, std::vector<Argument> all)
      : program(program), routines(program), arguments(std::move(all)) {}
  std::shared_ptr<Program> program;
  Specialized routines;
  const Routine* routine = nullptr;
  std::vector<Argument> arguments;
  std::vector<Value> constants;  // by argument; unknown: bound by each program
  std::vector<int> tensors_before;
  Refusals refusals;
  std::atomic<bool> notes_refusals = false;
};

Value constant_of(const Argument& a) {
  if (const auto* t = std::get_if<TensorArgument>(&a); t && t->tensor.is_none) return AnyValue(cpu::None{});
  if (const auto* c = std::get_if<ConstantArgument>(&a)) return AnyValue(cpu::Constant(c->value, c->is_bool));
  if (const auto* r = std::get_if<RealConstantArgument>(&a)) return AnyValue(r->value);
  if (const auto* t = std::get_if<TextConstantArgument>(&a)) return AnyValue(cpu::kept_text(t->value));
  if (const auto* d = std::get_if<DtypeConstantArgument>(&a)) return AnyValue(cpu::ElementType{d->value});
  return {};
}

Value bound(cpu::Context& tl, const Argument& a, int tensors_before) {
  if (const auto* t = std::get_if<TensorArgument>(&a)) return AnyValue(tl.bind(*t, tensors_before));
  if (const auto* d = std::get_if<DescriptorArgument>(&a))
    return AnyValue(std::make_shared<const cpu::Descriptor>(tl.bind(*d, tensors_before)));
  if (const auto* i = std::get_if<IntArgument>(&a)) return AnyValue(tl.bind(*i, tensors_before));
  if (const auto* f = std::get_if<FloatArgument>(&a)) return AnyValue(tl.bind(*f, tensors_before));
  return {};
}

void run_program(Start& start, cpu::Context& tl) {
  Variables arguments(start.arguments.size());
  for (std::size_t i = 0; i < start.arguments.size(); ++i)
    arguments[i] =
        start.constants[i].is_known() ? start.constants[i] : bound(tl, start.arguments[i], start.tensors_before[i]);
  Course course;
  if (start.notes_refusals) course.refusals = &start.refusals;
  call(tl, *start.routine, course, arguments.all(), start.routine->place, 0);
}

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

Launch launch_of(std::shared_ptr<Program> program, const Definition& kernel, Grid grid, LaunchOptions options,
                 std::vector<Argument> arguments) {
  const auto& parameters = kernel.parameters();
  if (arguments.size() > parameters.size())
    throw Error(
        fmt::format("{} takes {} arguments, and {} are given", kernel.name(), parameters.size(), arguments.size()),
        "give one for each parameter");
  for (std::size_t i = arguments.size(); i < parameters.size(); ++i)
    if (!parameters[i].fallback)
      throw Error(fmt::format("{} is launched without {}", kernel.name(), parameters[i].name), "give it a value");
  Launch launch{.kernel = kernel.name(),
                .source = kernel.module->tree->source.file,
                .grid = grid,
                .options = options,
                .arguments = {}};
  const auto start = std::make_shared<Start>(program, std::move(arguments));
  int tensors = 0;
  for (const auto& a : start->arguments) {
    start->tensors_before.push_back(tensors);
    start->constants.push_back(constant_of(a));
    tensors += kind_of(a) == 't' || kind_of(a) == 'd';
  }
  launch.arguments = start->arguments;
  start->routine = &start->routines.routine(kernel, start->constants);
  launch.on_cpu = Walk{start};
  return launch;
}

}  // namespace tl::triton
