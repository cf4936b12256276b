// What names and expressions of a kernel's text stand for.
#pragma once

#include <deque>
#include <string>

#include "interp/cpu/call.h"
#include "interp/triton/tree.h"

namespace tl::triton {

struct Definition;
struct Module;

// What is called, or holds what is called.
struct Callable {
  enum class Kind : unsigned char { language, module, op, function, host } kind;
  std::string name;  // of the language: triton.language.math; of what is the host's: range, len, float
  const cpu::Function* op = nullptr;
  const Definition* function = nullptr;
  const Module* module = nullptr;
};

// A number that was assigned to a variable is strong: a tensor of its dtype in Triton. It stays a number here, so that
// a shape may be made of it, and joins as a scalar where its dtype decides that of the result.
struct Value {
  cpu::AnyValue data;
  bool is_strong = false;
  const Callable* callable = nullptr;

  Value() = default;
  Value(cpu::AnyValue v, bool is_strong = false) : data(std::move(v)), is_strong(is_strong) {}
  Value(const Callable* c) : callable(c) {}
  bool is_known() const { return callable || !data.is<cpu::NotGiven>(); }
  bool is_constant() const {  // known before a program runs
    return callable ||
           !(data.is<cpu::NotGiven>() || data.is<cpu::Block>() || data.is<cpu::Pointer>() ||
             data.is<std::shared_ptr<const cpu::BlockPointer>>() || data.is<std::shared_ptr<const cpu::Descriptor>>() ||
             data.is<cpu::CombineFunction>() || data.is<cpu::Tuple>());
  }
};

// "a block of int32 (64)", "the function softmax"; for messages and as a key of what is constant.
std::string text_of(const Value&);

}  // namespace tl::triton
