// Random expressions over offsets, masks and pointers: run by the interpreter, which the type tracker listens to, and
// written down, so that CUDA's compiler makes types of the same text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <variant>

#include "interp/cpu/run.h"
#include "interp/cpu/state.h"
#include "interp/lang/launch.h"
#include "interp/machine/access/type_tracker.h"
#include "interp/tl.h"

namespace tl::testing {

// Collects the type of each op's first result.
class TypeList : public machine::TypeTracker {
 public:
  explicit TypeList(const machine::CudaConfig& config) : TypeTracker(config) {}
  void op(const trace::OpEvent& e) override {
    TypeTracker::op(e);
    if (!e.results.empty()) {
      types.push_back(type_of(e.results[0]));
      of_value[e.results[0].id] = types.back();
    }
  }

  std::vector<machine::CudaType> types;
  std::map<trace::ValueId, machine::CudaType> of_value;
};

// x and h: tensors of f32 and f16; ints: a multiple of 16, an odd one, one, one of 64 bits.
inline Launch launch_of(int num_warps, std::function<void(cpu::Context&)> body) {
  const auto tensor = [](const char* name, DType dtype) { return TensorArgument{make_tensor(name, dtype, {1 << 16})}; };
  return {.kernel = "tl::kernels::rules_kernel",
          .source = "kernels/rules_kernel.h",
          .grid = {},
          .options = {.num_warps = num_warps, .num_stages = 3},
          .arguments = {tensor("x", DType::float32), tensor("h", DType::float16), IntArgument{4096}, IntArgument{4097},
                        IntArgument{1}, IntArgument{1 << 20, DType::int64}},
          .on_cpu = std::move(body)};
}
inline const char* const argument_names[] = {"x", "h", "n16", "n7", "n1", "wide"};

struct Written {
  std::string text;                        // auto v0 = ...; auto v1 = ...;
  std::map<int, machine::CudaType> types;  // of v0, v1, ...; none where an argument came back unchanged
};

class Writer {
 public:
  Writer(unsigned seed, cpu::Context& tl, const Launch& launch) : random_(seed), tl_(tl) {
    for (std::size_t i = 0; i < 2; ++i)
      add(argument_names[i], tl.bind(std::get<TensorArgument>(launch.arguments[i]), static_cast<int>(i)));
    for (std::size_t i = 2; i < 6; ++i) add(argument_names[i], tl.bind(std::get<IntArgument>(launch.arguments[i]), -1));
    for (const int size : {16, 64, 32}) arange(0, size);
  }
  void write(int steps) {
    for (int made = 0, tried = 0; made < steps && tried < 100 * steps; ++tried) made += step();
  }
  std::string text;
  std::vector<trace::ValueId> values;  // of v0, v1, ...

 private:
  using Value = std::variant<cpu::Block, cpu::Pointer>;
  struct Named {
    std::string name;
    Value value;
  };
  // What stands beside a value: another, or a number of the text.
  struct Beside {
    std::string text;
    std::variant<const cpu::Block*, cpu::Literal> value;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  static const cpu::Value& data(const Named& n) {
    return std::visit([](const auto& v) -> const cpu::Value& { return *v.data(); }, n.value);
  }
  static bool is_block(const Named& n) { return std::holds_alternative<cpu::Block>(n.value); }
  static const cpu::Block& block(const Named& n) { return std::get<cpu::Block>(n.value); }
  static bool is_int(const Named& n) {
    return is_block(n) && (data(n).dtype == DType::int32 || data(n).dtype == DType::int64);
  }
  static bool is_mask(const Named& n) { return is_block(n) && data(n).dtype == DType::int1 && data(n).rank > 0; }
  static bool is_float(const Named& n) { return is_block(n) && data(n).dtype == DType::float32; }

  void add(std::string name, Value value) { all_.push_back({std::move(name), std::move(value)}); }
  bool made(const std::string& expression, Value value) {
    const std::string name = fmt::format("v{}", count_++);
    text += fmt::format("    auto {} = {};\n", name, expression);
    add(name, std::move(value));
    values.push_back(data(all_.back()).id);
    return true;
  }
  // One that fits, the later ones rather.
  template <class F>
  const Named* pick(F fits) {
    std::vector<const Named*> found;
    for (const Named& n : all_)
      if (fits(n)) found.push_back(&n);
    if (found.empty()) return nullptr;
    const int n = static_cast<int>(found.size());
    return found[static_cast<std::size_t>(std::max(below(n), below(n)))];
  }
  // The shapes broadcast, to a block of at most 4096 lanes.
  static bool meets(const Named& a, const Named& b) {
    std::int64_t lanes = 1;
    for (int i = 1; i <= std::max(data(a).rank, data(b).rank); ++i) {
      const auto size = [&](const Named& n) { return i > data(n).rank ? 1 : data(n).dims[data(n).rank - i]; };
      if (size(a) != size(b) && size(a) != 1 && size(b) != 1) return false;
      lanes *= std::max(size(a), size(b));
    }
    return lanes <= 4096;
  }
  Beside number() {
    const int values[] = {1, 2, 3, 16, 64, 1 << 22};
    const int v = values[below(6)];
    if (below(2)) return {std::to_string(v), cpu::Literal(v)};
    return {fmt::format("{}_c", v), cpu::Literal(cpu::Constant(v))};
  }
  Beside beside(const Named& a) {
    const Named* b = below(3) ? pick([&](const Named& n) { return is_int(n) && meets(a, n); }) : nullptr;
    return b ? Beside{b->name, &block(*b)} : number();
  }

  template <class A, class B>
  static cpu::Block infix(std::string_view op, const A& a, const B& b) {
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return a / b;
    if (op == "%") return a % b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    if (op == ">=") return a >= b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "&") return a & b;
    if (op == "<<") return a << b;
    if (op == ">>") return a >> b;
    if (op == "|") return a | b;
    return a ^ b;
  }
  bool infix() {
    static const char* const ops[] = {
        "+", "+", "-", "*", "*", "<", "<=", ">", ">=", "==", "!=", "/", "%", "%", "&", "|", "<<", ">>"};
    const std::string op = ops[below(18)];
    const Named* a = pick(is_int);
    if (op == "/" || op == "%") {  // by a number, or an argument: neither is 0
      if (below(2))
        if (const Named* b = pick([](const Named& n) { return n.name == "n16" || n.name == "n7" || n.name == "n1"; }))
          return made(fmt::format("{} {} {}", a->name, op, b->name), infix(op, block(*a), block(*b)));
      const Beside b = number();
      return made(fmt::format("{} {} {}", a->name, op, b.text), infix(op, block(*a), std::get<cpu::Literal>(b.value)));
    }
    const Beside b = beside(*a);
    if (const auto* literal = std::get_if<cpu::Literal>(&b.value)) {
      if (below(3) == 0) return made(fmt::format("{} {} {}", b.text, op, a->name), infix(op, *literal, block(*a)));
      return made(fmt::format("{} {} {}", a->name, op, b.text), infix(op, block(*a), *literal));
    }
    return made(fmt::format("{} {} {}", a->name, op, b.text),
                infix(op, block(*a), *std::get<const cpu::Block*>(b.value)));
  }
  bool masks() {
    const Named* a = pick(is_mask);
    if (!a) return false;
    if (below(4) == 0) return made("!" + a->name, !block(*a));
    const Named* b = pick([&](const Named& n) { return is_mask(n) && meets(*a, n); });
    const std::string op = below(2) ? "&" : below(2) ? "|" : "^";
    return made(fmt::format("{} {} {}", a->name, op, b->name), infix(op, block(*a), block(*b)));
  }
  bool slice() {
    const Named* a = pick([](const Named& n) { return data(n).rank == 1; });
    const bool column = below(2);
    const auto sliced = [&](const auto& v) -> Value {
      return column ? v(cpu::Everything{}, cpu::NewAxis{}) : v(cpu::NewAxis{}, cpu::Everything{});
    };
    return made(a->name + (column ? "(_, None)" : "(None, _)"), std::visit(sliced, a->value));
  }
  bool cast() {
    const Named* a = pick([](const Named& n) { return is_int(n) || is_mask(n) || is_float(n); });
    switch (below(3)) {
      case 0: return made(a->name + ".to(tl.int64)", block(*a).to(tl_.int64));
      case 1: return made(a->name + ".to(tl.int32)", block(*a).to(tl_.int32));
      default: return made(a->name + ".to(tl.float32)", block(*a).to(tl_.float32));
    }
  }
  bool broadcast() {
    const Named* a = pick([](const Named& n) { return is_block(n) && data(n).rank == 2; });
    if (!a) return false;
    const auto size = [&](int i) { return static_cast<int>(data(*a).dims[i] == 1 ? 32 : data(*a).dims[i]); };
    return made(fmt::format("tl.broadcast_to({}, tl.shape({}_c, {}_c))", a->name, size(0), size(1)),
                tl_.broadcast_to(block(*a), tl_.shape(cpu::Constant(size(0)), cpu::Constant(size(1)))));
  }
  bool chosen() {
    const Named* a = pick(is_int);
    const Named* b = pick([&](const Named& n) { return is_int(n) && meets(*a, n); });
    switch (below(4)) {
      case 0: return made(fmt::format("tl.minimum({}, {})", a->name, b->name), tl_.minimum(block(*a), block(*b)));
      case 1: return made(fmt::format("tl.maximum({}, 16_c)", a->name), tl_.maximum(block(*a), cpu::Constant(16)));
      case 2:
        return made(fmt::format("tl.clamp({}, 0_c, 4096_c)", a->name),
                    tl_.clamp(block(*a), cpu::Constant(0), cpu::Constant(4096)));
      default: break;
    }
    const Named* m = pick([&](const Named& n) { return is_mask(n) && meets(n, *a) && meets(n, *b); });
    if (!m) return false;
    if (below(2)) return made(fmt::format("tl.where({}, {}, 0)", m->name, a->name), tl_.where(block(*m), block(*a), 0));
    return made(fmt::format("tl.where({}, {}, {})", m->name, a->name, b->name),
                tl_.where(block(*m), block(*a), block(*b)));
  }
  bool pointer() {
    const Named* p = pick([](const Named& n) { return !is_block(n); });
    const auto& pointer = std::get<cpu::Pointer>(p->value);
    const Named* o = pick([&](const Named& n) { return is_int(n) && meets(*p, n); });
    if (below(4) == 0) return made(fmt::format("{} + 64_c", p->name), pointer + cpu::Literal(cpu::Constant(64)));
    if (below(3) == 0) return made(fmt::format("{} - {}", p->name, o->name), pointer - block(*o));
    return made(fmt::format("{} + {}", p->name, o->name), pointer + block(*o));
  }
  bool hint() {
    const Named* a = pick([](const Named& n) { return is_int(n) && data(n).rank == 1; });
    const cpu::Constant sixteen(16);
    switch (below(3)) {
      case 0: return made(fmt::format("tl.multiple_of({}, 16_c)", a->name), tl_.multiple_of(block(*a), sixteen));
      case 1: return made(fmt::format("tl.max_contiguous({}, 16_c)", a->name), tl_.max_contiguous(block(*a), sixteen));
      default: return made(fmt::format("tl.max_constancy({}, 16_c)", a->name), tl_.max_constancy(block(*a), sixteen));
    }
  }
  bool scalar() {
    const Named* a = pick([](const Named& n) { return is_int(n) && data(n).rank == 0; });
    switch (below(4)) {
      case 0:
        return made(fmt::format("tl.multiple_of({}, 1_c)", a->name), tl_.multiple_of(block(*a), cpu::Constant(1)));
      case 1: return made(fmt::format("tl.cdiv({}, 16_c)", a->name), tl_.cdiv(block(*a), cpu::Constant(16)));
      case 2: return made("tl.program_id(0)", tl_.program_id(0));
      default: return made("-" + a->name, -block(*a));
    }
  }
  bool rearranged() {
    const Named* a = pick([](const Named& n) { return is_block(n) && data(n).rank == 2; });
    if (!a) return false;
    const int rows = static_cast<int>(data(*a).dims[0]), cols = static_cast<int>(data(*a).dims[1]);
    switch (below(4)) {
      case 0: return made(fmt::format("tl.trans({})", a->name), tl_.trans(block(*a)));
      case 1:
        return made(fmt::format("tl.permute({}, tl.axes(1_c, 0_c))", a->name),
                    tl_.permute(block(*a), tl_.axes(cpu::Constant(1), cpu::Constant(0))));
      case 2:
        return made(fmt::format("tl.reshape({}, tl.shape({}_c))", a->name, rows * cols),
                    tl_.reshape(block(*a), tl_.shape(cpu::Constant(rows * cols))));
      default: break;
    }
    const Named* b = pick([&](const Named& n) { return is_block(n) && meets(*a, n) && data(n).rank == 2; });
    if (data(*a).dtype != data(*b).dtype || rows * cols > 1024) return false;
    if (!std::ranges::equal(std::span(data(*a).dims, 2), std::span(data(*b).dims, 2))) return false;
    return made(fmt::format("tl.join({}, {})", a->name, b->name), tl_.join(block(*a), block(*b)));
  }
  bool reduced() {
    const Named* a = pick([](const Named& n) { return is_int(n) && data(n).rank == 2; });
    if (!a) return false;
    const int axis = below(2);
    const std::string arguments = fmt::format("({}, {}_c)", a->name, axis);
    switch (below(3)) {
      case 0: return made("tl.sum" + arguments, tl_.sum(block(*a), cpu::Constant(axis)));
      case 1: return made("tl.argmax" + arguments, tl_.argmax(block(*a), cpu::Constant(axis)));
      default: return made("tl.cumsum" + arguments, tl_.cumsum(block(*a), cpu::Constant(axis)));
    }
  }
  bool arange(int from, int size) {
    return made(fmt::format("tl.arange({}_c, {}_c)", from, from + size),
                tl_.arange(cpu::Constant(from), cpu::Constant(from + size)));
  }
  bool step() {
    switch (below(17)) {
      case 16: return hint();
      case 0: return arange(below(3) == 0 ? 7 : below(3) * 16, 1 << below(7));
      case 1:
      case 2: return slice();
      case 3: return cast();
      case 4: return broadcast();
      case 5: return chosen();
      case 6:
      case 7: return pointer();
      case 8: return scalar();
      case 9: return rearranged();
      case 10: return reduced();
      case 11:
      case 12: return masks();
      default: return infix();
    }
  }

  std::mt19937 random_;
  cpu::Context& tl_;
  std::vector<Named> all_;
  int count_ = 0;
};

inline Written random_expression(unsigned seed, const machine::CudaConfig& config) {
  Written written;
  std::vector<trace::ValueId> values;
  TypeList types(config);
  Launch launch = launch_of(config.num_warps, {});
  launch.on_cpu = [&, arguments = launch](cpu::Context& tl) {
    Writer writer(seed, tl, arguments);
    writer.write(12);
    written.text = writer.text;
    values = writer.values;
  };
  cpu::RunOptions options;
  options.observer = &types;
  options.order = cpu::Order::sequential;
  cpu::run(launch, options);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto type = types.of_value.find(values[i]); type != types.of_value.end())
      written.types[static_cast<int>(i)] = type->second;
  return written;
}

}  // namespace tl::testing
