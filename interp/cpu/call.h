// An op called by its name, with operands and options that are known at run time: what a text that nobody compiled
// calls, Triton's Python or an expression of the debugger.
//   call(tl, "sum", {x, 1}, {{"keep_dims", true}})     tl.sum(x, axis=1, keep_dims=True)
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "interp/cpu/context.h"
#include "interp/lang/op.h"
#include "interp/lang/parameters.h"

namespace tl::triton {
struct Callable;
}

namespace tl::cpu {

struct AnyValue;
struct Elements;
struct NotGiven {};
struct None {};
using Tuple = std::shared_ptr<const Elements>;
// What a text calls or takes members of: a function, a module. Its reader knows more of it; ops do not take it.
struct Callee {
  const triton::Callable* is;
};
// For tl.reduce and tl.associative_scan: takes a0, a1, .., b0, b1, .. and gives as many values as a side has.
using CombineFunction = std::shared_ptr<const std::function<std::vector<Block>(std::span<const Block>)>>;

// What a value may be. Plain ones are copied as bytes, which most of a walk's copies are.
using Plain = std::variant<NotGiven, None, Constant, RealConstant, TextConstant, ElementType, PointerType, Callee>;
using Held =
    std::variant<std::shared_ptr<const BlockPointer>, std::shared_ptr<const Descriptor>, Tuple, CombineFunction>;
template <class T, class Variant>
inline constexpr bool is_kind_of = false;
template <class T, class... Kinds>
inline constexpr bool is_kind_of<T, std::variant<Kinds...>> = (std::is_same_v<T, Kinds> || ...);

// What an op takes or gives. Numbers are weak in promotion, as literals are; a strong one is a Block of rank 0.
struct AnyValue {
  AnyValue() = default;
  AnyValue(NotGiven) {}
  AnyValue(None v) : value_(Plain(v)) {}
  AnyValue(Constant v) : value_(Plain(v)) {}
  AnyValue(RealConstant v) : value_(Plain(v)) {}
  AnyValue(TextConstant v) : value_(Plain(v)) {}
  AnyValue(ElementType v) : value_(Plain(v)) {}
  AnyValue(PointerType v) : value_(Plain(v)) {}
  AnyValue(Callee v) : value_(Plain(v)) {}
  template <class T>
    requires is_kind_of<T, Held>
  AnyValue(T v) : value_(Held(std::move(v))) {}
  AnyValue(Block v) : value_(std::move(v)) {}
  AnyValue(Pointer v) : value_(std::move(v)) {}
  AnyValue(bool v) : AnyValue(Constant(v, true)) {}
  template <std::integral T>
  AnyValue(T v) : AnyValue(Constant(static_cast<long long>(v))) {}
  AnyValue(double v) : AnyValue(RealConstant(v)) {}
  AnyValue(const char* text) : AnyValue(TextConstant(text)) {}  // which lives as long as the launch
  AnyValue(std::vector<AnyValue> all);                          // a tuple
  AnyValue(std::initializer_list<AnyValue>) = delete;
  AnyValue(const AnyValue&) = default;
  AnyValue(AnyValue&&) noexcept = default;
  // Another value of any kind: a Block's own assignment would keep its dtype and shape.
  AnyValue& operator=(const AnyValue& v) {
    if (&v == this) return *this;
    if (value_.index() != 0) return *this = AnyValue(v);  // which may lie in what this one holds
    return *std::construct_at(this, v);
  }
  AnyValue& operator=(AnyValue&& v) noexcept {
    if (&v == this) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(v));
  }
  template <class T>
  const T* get_if() const {  // null: it is something else
    if constexpr (is_kind_of<T, Plain>) return inner<T, Plain>();
    else if constexpr (is_kind_of<T, Held>) return inner<T, Held>();
    else return std::get_if<T>(&value_);
  }
  template <class T>
  T* get_if() {
    return const_cast<T*>(std::as_const(*this).get_if<T>());
  }
  template <class T>
  bool is() const {
    return get_if<T>() != nullptr;
  }
  template <class T>
  const T& as() const {
    const T* const v = get_if<T>();
    if (!v) throw std::bad_variant_access();
    return *v;
  }
  bool is_given() const { return !is<NotGiven>() && !is<None>(); }
  bool is_number() const { return is<Constant>() || is<RealConstant>(); }

 private:
  template <class T, class Of>
  const T* inner() const {
    const Of* const v = std::get_if<Of>(&value_);
    return v ? std::get_if<T>(v) : nullptr;
  }
  std::variant<Plain, Block, Pointer, Held> value_;
};
// A tuple's elements; a named one's have names.
struct Elements : std::vector<AnyValue> {
  explicit Elements(std::vector<AnyValue> all) : vector(std::move(all)) {}
  std::vector<const char*> names = {};     // which live as long as the process
  const triton::Callable* type = nullptr;  // the class that it is of
};
// "a block of shape (4, 8)", "an integer", for messages.
std::string text_of_kind(const AnyValue&);

// A text that lives as long as the process.
const char* kept_text(std::string_view);

struct NamedValue {
  std::string_view name;
  AnyValue value;
};

class Call;
// An op or what is made of ops, as interp/lang/op.h lists them.
struct Function {
  std::string_view name;
  std::vector<Parameter> parameters;
  AnyValue (*run)(Call&);
};
const Function* function_called(std::string_view name);  // null: there is none
// The function that takes `self` first, as in x.sum(1), x.to(tl.float16), desc.load([i, j]); null: there is none.
const Function* method_called(const AnyValue& self, std::string_view name);
// The names of all functions, for messages.
std::vector<std::string> function_names();

// One value a parameter, NotGiven where none was passed; all that a rest parameter takes as a Tuple. Throws FaultError
// for a name that there is not, a value that is missing or given twice: it names op, parameter and fix.
std::vector<AnyValue> bind(Context&, const Function&, std::vector<AnyValue> positional, std::vector<NamedValue> named,
                           Location);
// By such values, which it may convert. Throws FaultError for a value of the wrong kind.
AnyValue call(Context&, const Function&, std::span<AnyValue> values, Location);
AnyValue call(Context&, std::string_view op, std::vector<AnyValue> positional, std::vector<NamedValue> named = {},
              Location = {});

// x + y, -x: of blocks and pointers; of two numbers there is no op.
AnyValue infix(Context&, Op, const AnyValue& left, const AnyValue& right, Location);
AnyValue prefix(Context&, Op, const AnyValue&, Location);
// x[:, None]: which axes of the result are new.
AnyValue sliced(Context&, const AnyValue&, std::span<const bool> is_new_axis, Location);
// A number as a scalar: an int1, int32 or int64, float32.
Block scalar_of(Context&, const AnyValue& number, Location);

// What Context's templates take by their types, by number.
struct AtRunTime {
  static BlockPointer make_block_ptr(Context&, const Pointer& base, std::span<const Operand> shape,
                                     std::span<const Operand> strides, std::span<const Operand> offsets, const Shape&,
                                     const Axes& order, Location);
  static Descriptor make_tensor_descriptor(Context&, const Pointer& base, std::span<const Operand> shape,
                                           std::span<const Operand> strides, const Shape&, Location);
  static BlockPointer advance(Context&, const BlockPointer&, std::span<const Operand> by, Location);
  static std::vector<Block> reduce(Context&, std::span<const Block> x, FixedInt axis, const CombineFunction&, Location);
  static std::vector<Block> associative_scan(Context&, std::span<const Block> x, FixedInt axis, const ScanOptions&,
                                             const CombineFunction&, Location);
  static std::vector<Block> map_elementwise(Context&, const CombineFunction&, std::span<const Block> x, int pack,
                                            Location);
  static void print_if(Context&, const char* text, const char* condition, std::span<const AnyValue>, Location);
  static void device_print(Context&, const char* prefix, std::span<const AnyValue>, bool is_hex, Location);
  static std::string printed_text(const AnyValue&);
  static std::string device_print_prefix(std::string_view, bool has_values);
  static void static_print(Context&, const char* text, std::span<const AnyValue>, Location);
};

}  // namespace tl::cpu
