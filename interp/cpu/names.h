// The calls with which a declared text (interp/text/declared.h) reports names, functions and blocks.
#pragma once

#include <type_traits>

#include "interp/cpu/block.h"
#include "interp/cpu/constant.h"
#include "interp/cpu/descriptor.h"

namespace tl::cpu {

extern int programs_with_names;  // under way whose observer wants names; 0 is all that an unobserved run looks at
inline bool names_are_wanted() { return __atomic_load_n(&programs_with_names, __ATOMIC_RELAXED) != 0; }

// A block: names end with it. Line 0, or where the { of a function's body stands.
class Scope {
 public:
  Scope() {
    if (names_are_wanted()) [[unlikely]]
      is_told_ = begin(0, 0, {}, {});
  }
  ~Scope() {
    if (is_told_) [[unlikely]]
      end();
  }
  Scope(const Scope&) = delete;

 protected:
  Scope(int line, int column, Location call, Location body) {
    if (names_are_wanted()) [[unlikely]]
      is_told_ = begin(line, column, call, body);
  }

 private:
  static bool begin(int line, int column, Location call, Location body) noexcept;
  static void end() noexcept;
  bool is_told_ = false;
};

// A function's body, and where it was called from.
class Frame : Scope {
 public:
  Frame(int line, int column, Location call = Location(), Location body = TL_LOCATION)
      : Scope(line, column, call, body) {}
};

enum class NumberKind : unsigned char { boolean, integer, unsigned_integer, float32, float64, constant };
void tell_name(const char* name, const Handle*) noexcept;  // null: no value of it is recorded
void tell_number(const char* name, const void* at, int bytes, NumberKind) noexcept;

void forget_number(const void* at) noexcept;  // another value comes to stand there

template <class T>
void named(const char* name, const T& value) noexcept {
  if (!names_are_wanted()) [[likely]]
    return;
  if constexpr (std::is_base_of_v<Handle, T>) tell_name(name, &value);
  else if constexpr (std::is_base_of_v<Constant, T>)
    tell_number(name, static_cast<const Constant*>(&value), sizeof(Constant), NumberKind::constant);
  else if constexpr (std::is_base_of_v<RealConstant, T>)
    tell_number(name, &value.value, sizeof value.value, NumberKind::float64);
  else if constexpr (std::is_same_v<T, bool>) tell_number(name, &value, sizeof value, NumberKind::boolean);
  else if constexpr (std::is_same_v<T, float>) tell_number(name, &value, sizeof value, NumberKind::float32);
  else if constexpr (std::is_same_v<T, double>) tell_number(name, &value, sizeof value, NumberKind::float64);
  else if constexpr (std::is_integral_v<T> && !std::is_volatile_v<T>)
    tell_number(name, &value, sizeof value, T(-1) < T(0) ? NumberKind::integer : NumberKind::unsigned_integer);
  else if constexpr (!std::is_same_v<T, Context>) tell_name(name, nullptr);  // tl is no variable
}
inline void unnamed(const char* name) noexcept {
  if (names_are_wanted()) [[unlikely]]
    tell_name(name, nullptr);
}

}  // namespace tl::cpu
