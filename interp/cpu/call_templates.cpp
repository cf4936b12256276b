// What Context takes by its types, by numbers that are known at run time.
#include <fmt/format.h>

#include "interp/cpu/absent.h"
#include "interp/cpu/arguments.h"
#include "interp/lang/printed.h"
#include "interp/lang/text.h"

namespace tl::cpu {

BlockPointer AtRunTime::make_block_ptr(Context& tl, const Pointer& base, std::span<const Operand> shape,
                                       std::span<const Operand> strides, std::span<const Operand> offsets,
                                       const Shape& block, const Axes& order, Location p) {
  std::vector<Operand> all(shape.begin(), shape.end());
  all.insert(all.end(), strides.begin(), strides.end());
  all.insert(all.end(), offsets.begin(), offsets.end());
  if (strides.size() != shape.size() || offsets.size() != shape.size() || shape.size() > max_rank)
    fail({tl.state(), Op::make_block_ptr, p}, FaultKind::shape,
         fmt::format("{} sizes, {} strides and {} offsets", shape.size(), strides.size(), offsets.size()), "",
         "shape, strides and offsets of a block pointer have one rank");
  return tl.make_block_pointer(base, all.data(), static_cast<int>(shape.size()), block, order, p);
}
Descriptor AtRunTime::make_tensor_descriptor(Context& tl, const Pointer& base, std::span<const Operand> shape,
                                             std::span<const Operand> strides, const Shape& block, Location p) {
  std::vector<Operand> all(shape.begin(), shape.end());
  all.insert(all.end(), strides.begin(), strides.end());
  if (strides.size() != shape.size() || shape.size() > max_rank)
    fail({tl.state(), Op::make_tensor_descriptor, p}, FaultKind::shape,
         fmt::format("{} sizes and {} strides", shape.size(), strides.size()), "",
         "shape and strides of a descriptor have one rank");
  return tl.make_descriptor(base, all.data(), static_cast<int>(shape.size()), block, p);
}
BlockPointer AtRunTime::advance(Context& tl, const BlockPointer& x, std::span<const Operand> by, Location p) {
  return tl.advance_by(x, by.data(), static_cast<int>(by.size()), p);
}

namespace {
// A combine function and how many blocks a side has.
struct Sides {
  const std::function<std::vector<Block>(std::span<const Block>)>& function;
  std::size_t count;
};
void combine(void* function, const Block* const* sides, void (*keep)(void*, int, const Block&), void* to) {
  const Sides& f = *static_cast<const Sides*>(function);
  std::vector<Block> values;
  for (std::size_t i = 0; i < 2 * f.count; ++i) values.push_back(*sides[i]);
  int number = 0;
  for (const Block& b : f.function(values)) keep(to, number++, b);
}
std::vector<const Block*> pointers_to(std::span<const Block> x) {
  std::vector<const Block*> all;
  for (const Block& b : x) all.push_back(&b);
  return all;
}
std::vector<Block> taken(Value** made, std::size_t count) {
  std::vector<Block> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(made[i]);
  return all;
}
}  // namespace

std::vector<Block> AtRunTime::reduce(Context& tl, std::span<const Block> x, FixedInt axis, const CombineFunction& f,
                                     Location p) {
  Sides sides{*f, x.size()};
  return taken(tl.reduce_by(pointers_to(x).data(), static_cast<int>(x.size()), axis, p, {&sides, combine}), x.size());
}
std::vector<Block> AtRunTime::associative_scan(Context& tl, std::span<const Block> x, FixedInt axis,
                                               const ScanOptions& options, const CombineFunction& f, Location p) {
  Sides sides{*f, x.size()};
  return taken(tl.scan_by(pointers_to(x).data(), static_cast<int>(x.size()), axis, options, p, {&sides, combine}),
               x.size());
}

// For a value that is neither a block nor a float.
std::string AtRunTime::printed_text(const AnyValue& v) {
  if (v.is<TextConstant>()) return v.as<TextConstant>().value;
  if (v.is<ElementType>()) return std::string(language_name_of(v.as<ElementType>().value));
  if (v.is<None>()) return "None";
  if (v.is<Constant>()) return fmt::format("{}", v.as<Constant>().value);
  if (!v.is<Tuple>()) return "";
  std::vector<std::string> all;
  for (const AnyValue& x : *v.as<Tuple>()) all.push_back(printed_text(x));
  return fmt::format("({}{})", fmt::join(all, ", "), all.size() == 1 ? "," : "");
}

namespace {
template <class Printed>
std::vector<Printed> printed(const Context& tl, Op op, std::span<const AnyValue> values, Location p) {
  std::vector<Printed> all;
  for (const AnyValue& v : values) {
    if (v.is<Block>()) all.push_back(Printed(v.as<Block>()));
    else if (v.is<Pointer>()) all.push_back(Printed(v.as<Pointer>()));
    else if (v.is_number()) all.push_back(v.is<Constant>() ? Printed(v.as<Constant>()) : Printed(v.as<RealConstant>()));
    else if (const std::string text = AtRunTime::printed_text(v); !text.empty() || v.is<TextConstant>())
      all.push_back(Printed(TextConstant(kept_text(text))));
    else
      fail({tl.state(), op, p}, FaultKind::other, text_of_kind(v) + " is not printed", "",
           "print blocks, pointers, numbers and texts");
  }
  return all;
}
}  // namespace

void AtRunTime::print_if(Context& tl, const char* text, const char* condition, std::span<const AnyValue> values,
                         Location p) {
  const auto all = printed<Context::Printed>(tl, Op::print_if, values, p);
  tl.print(Context::Text(text, p), condition, all.data(), static_cast<int>(all.size()));
}
// As Triton spells it: " x: ".
std::string AtRunTime::device_print_prefix(std::string_view prefix, bool has_values) {
  std::string text(prefix);
  if (has_values && !text.ends_with(": ")) text = text.substr(0, text.find_last_not_of(' ') + 1) + ": ";
  return text;
}
void AtRunTime::device_print(Context& tl, const char* prefix, std::span<const AnyValue> values, bool is_hex,
                             Location p) {
  auto all = printed<Context::Printed>(tl, Op::device_print, values, p);
  for (std::size_t i = 0; is_hex && i < values.size(); ++i) {
    if (!values[i].is<Block>() || is_float(values[i].as<Block>().dtype.value)) continue;
    const Value& v = *values[i].as<Block>().data();
    if (is_absent(v)) continue;
    all[i] = Context::Printed(
        TextConstant(kept_text(text_of_block(v.element_dtype(), flat(v), v.rank, v.dims, Digits::hexadecimal))));
  }
  const std::string text = device_print_prefix(prefix, !all.empty());
  tl.print_line(Context::Text(kept_text(text), p), all.data(), static_cast<int>(all.size()));
}
void AtRunTime::static_print(Context& tl, const char* text, std::span<const AnyValue> values, Location p) {
  const auto all = printed<Context::Printed>(tl, Op::static_print, values, p);
  tl.print(Context::Text(text, p), "=0,=0,=0", all.data(), static_cast<int>(all.size()), true);
}

}  // namespace tl::cpu
