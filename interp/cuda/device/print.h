// tl.print_if and its like: where the host asks for it (Build::prints), each program leaves what it prints in the
// host's memory; else nothing of this is compiled.
#pragma once

#include "interp/cuda/device/debug.h"
#include "interp/cuda/device/memory/global.h"
#include "interp/cuda/device/memory/shared.h"
#include "interp/cuda/device/values/elementwise.h"
#include "interp/lang/print_record.h"

namespace tl::cuda {

template <class A>
constexpr void check_static_print() {
  static_assert(is_literal<A>,
                "tl.static_print knows constants alone: print a block by tl.print_if or tl.device_print");
}

struct PrintBuffer {
  char* memory;  // set by the host, which finds the variable by its symbol
  int taken;     // bytes
  int lost;      // whether something did not fit
};

// "=0,>1": a condition an axis; the host has checked its grammar.
inline __device__ __noinline__ bool program_is(const char* condition) {
  const unsigned ids[] = {blockIdx.x, blockIdx.y, blockIdx.z};
  const auto skip = [&] {
    while (*condition == ' ') ++condition;
  };
  for (int axis = 0; axis < 3; ++axis) {
    skip();
    char ops[2] = {};
    for (int i = 0; i < 2 && (*condition == '=' || *condition == '!' || *condition == '<' || *condition == '>'); ++i)
      ops[i] = *condition++;
    skip();
    long long number = 0;
    const bool has_number = *condition >= '0' && *condition <= '9';
    while (*condition >= '0' && *condition <= '9') number = number * 10 + (*condition++ - '0');
    skip();
    const long long id = ids[axis];
    const bool holds = !has_number     ? true
                       : ops[0] == '=' ? id == number
                       : ops[0] == '!' ? id != number
                       : ops[0] == '<' ? (ops[1] ? id <= number : id < number)
                                       : (ops[1] ? id >= number : id > number);
    if (!holds) return false;
    if (*condition != ',') return true;
    ++condition;
  }
  return true;
}

// The record's place, its head and text written; null where the memory is full.
template <class Buffer>
__device__ __noinline__ char* begin_record(const char* text, bool is_line, int value_bytes, int values) {
  int length = 0;
  while (text[length]) ++length;
  Buffer& buffer = global_of<Buffer>;
  const int text_bytes = whole_words(length + 1),
            bytes = static_cast<int>(sizeof(PrintRecord)) + text_bytes + value_bytes;
  if (!buffer.memory) return nullptr;
  const int at = buffer.lost ? print_buffer_bytes : atomicAdd(&buffer.taken, bytes);
  if (at > print_buffer_bytes - bytes) {
    buffer.lost = 1;
    return nullptr;
  }
  PrintRecord& record = *reinterpret_cast<PrintRecord*>(buffer.memory + at);
  record = {bytes,   {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)},
            is_line, text_bytes,
            values,  0};
  char* const to = buffer.memory + at + sizeof(PrintRecord);
  for (int i = 0; i <= length; ++i) to[i] = text[i];
  return to + text_bytes;
}

// What a value is printed as: a text, a number, or a block with its lanes.
template <class A>
struct Printed {
  static_assert(!is_address<A>, "where a tensor lies is a GPU's affair: print the offsets");
  static auto element() {
    if constexpr (is_literal<A>) {
      constexpr LiteralKind kind = literal_kind<A>;
      if constexpr (kind == LiteralKind::boolean) return false;
      else if constexpr (kind == LiteralKind::real) return 0.0;
      else return 0ll;
    } else return typename A::element{};
  }
  using T = decltype(element());
  using S = shape_of<A>;
  static constexpr int bytes = sizeof(PrintedValue) + whole_words(S::size * static_cast<int>(sizeof(T)));

  static __forceinline__ void write(char* to, const A& value) {
    if (threadIdx.x == 0) {
      PrintedValue head{static_cast<int>(dtype_of<T>), S::rank, {}};
      for (int i = 0; i < S::rank; ++i) head.dims[i] = S::at(i);
      *reinterpret_cast<PrintedValue*>(to) = head;
    }
    T* const elements = reinterpret_cast<T*>(to + sizeof(PrintedValue));
    if constexpr (is_literal<A> || is_scalar<A>) {
      if (threadIdx.x == 0) *elements = static_cast<T>(plain(value));
    } else {
      const auto block = materialize(value);
      using L = typename bare<decltype(block)>::layout;
#pragma unroll
      for (int r = 0; r < block.count; ++r)
        if (L::is_first_holder()) elements[L::of_thread() + L::flats.at[r]] = block.v[r];
    }
  }
};
template <auto V>
  requires(is_text<typename constant<V>::type>)
struct Printed<constant<V>> {
  static constexpr int length = sizeof(V.at), bytes = sizeof(PrintedValue) + whole_words(length);
  static __forceinline__ void write(char* to, const constant<V>&) {
    if (threadIdx.x != 0) return;
    *reinterpret_cast<PrintedValue*>(to) = {-1, 1, {length}};
    for (int i = 0; i < length; ++i) to[sizeof(PrintedValue) + i] = V.at[i];
  }
};

template <int Threads, class... A>
__forceinline__ void print(const char* text, bool is_line, const A&... values) {
  __shared__ char* place;
  synchronize<Threads>();
  if (threadIdx.x == 0)
    place = begin_record<PrintBuffer>(text, is_line, (Printed<A>::bytes + ... + 0), static_cast<int>(sizeof...(A)));
  synchronize<Threads>();
  if (char* to = place) ((Printed<A>::write(to, values), to += Printed<A>::bytes), ...);
}

// The ops; host/print_texts.h reads the texts.
template <class Cfg>
struct DebugOps {
  __forceinline__ void breakpoint_if(const char*) const {}
  template <class M>
  __forceinline__ void device_assert(const M& condition, const char* text = "", const char* file = __builtin_FILE(),
                                     int line = __builtin_LINE()) const {
    assert_all(condition, text, file, line);
  }

  // Refused as the kernel compiles where it does not hold.
  template <auto C>
  __forceinline__ void static_check(constant<C>, const char* = "") const {
    static_assert(static_cast<bool>(C),
                  "tl.static_check does not hold: launch the kernel with constants for which it does");
  }
  template <class... A>
  __forceinline__ void print_if(const char* text, const char* condition, const A&... values) const {
    if constexpr (build.prints)
      if (program_is(condition)) print<32 * Cfg::num_warps>(text, false, as_printed(values)...);
  }
  template <class... A>
  __forceinline__ void device_print(const char* prefix, const A&... values) const {
    if constexpr (build.prints) print<32 * Cfg::num_warps>(prefix, true, as_printed(values)...);
  }
  template <class... A>
  __forceinline__ void static_print(const char* text, const A&... values) const {
    (check_static_print<A>(), ...);
    print_if(text, "=0,=0,=0", values...);
  }

 private:
  template <class X>
  static __forceinline__ auto as_printed(const X& x) {
    if constexpr (is_literal<X>) return x;
    else return as_block(x);
  }
};

}  // namespace tl::cuda
