// What names and expressions of a kernel's text stand for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "interp/cpu/call.h"
#include "interp/triton/tree.h"

namespace tl::triton {

struct Definition;
struct Module;
struct Record;
struct Value;

// A function of constants that somebody else computes, @triton.constexpr_function; `names`: "" by position.
using ConstantFunction = std::function<Value(std::span<const Value> arguments, std::span<const std::string> names)>;

// What is called, or holds what is called.
struct Callable {
  enum class Kind : unsigned char { language, module, op, function, host, record, computed } kind;
  std::string name;  // of the language: triton.language.math; of what is the host's: range, len, float
  const cpu::Function* op = nullptr;
  const Definition* function = nullptr;
  const Module* module = nullptr;
  const Record* record = nullptr;
  std::shared_ptr<const ConstantFunction> computed = nullptr;
};

// A number that was assigned to a variable is strong: a tensor of its dtype in Triton. It stays a number here, so that
// a shape may be made of it, and joins as a scalar where its dtype decides that of the result.
struct Value {
  cpu::AnyValue data;
  bool is_strong = false;

  Value() = default;
  Value(cpu::AnyValue v, bool is_strong = false) : data(std::move(v)), is_strong(is_strong) {}
  Value(const Callable* c) : data(cpu::Callee{c}) {}
  const Callable* callable() const { return data.is<cpu::Callee>() ? data.as<cpu::Callee>().is : nullptr; }
  bool is_known() const { return !data.is<cpu::NotGiven>(); }
  bool is_constant() const {  // known before a program runs
    return !(data.is<cpu::NotGiven>() || data.is<cpu::Block>() || data.is<cpu::Pointer>() ||
             data.is<std::shared_ptr<const cpu::BlockPointer>>() || data.is<std::shared_ptr<const cpu::Descriptor>>() ||
             data.is<cpu::CombineFunction>() || data.is<cpu::Tuple>());
  }
};

// A tuple is one if every element is.
bool is_known_whole(const cpu::AnyValue&);
// Where the field of that name of a named tuple is; nothing where it has none.
std::optional<std::size_t> field_of(const cpu::AnyValue&, std::string_view name);

// "a block of int32 (64)", "the function softmax"; for messages.
std::string text_of(const Value&);

}  // namespace tl::triton
