// What a constant's literal is worth, as C++ reads one: 64_c, 1'048'576_c, 0x40_c, "relu"_c. Free of std.
#pragma once

namespace tl {

// A text as a template's argument.
template <int N>
struct FixedText {
  char at[N];
  constexpr FixedText(const char (&text)[N]) : at() {
    for (int i = 0; i < N; ++i) at[i] = text[i];
  }
  template <int M>
  constexpr bool operator==(const FixedText<M>& other) const {
    if constexpr (N == M) {
      for (int i = 0; i < N; ++i)
        if (at[i] != other.at[i]) return false;
      return true;
    } else {
      return false;
    }
  }
};

template <char... C>
consteval long long literal_value() {
  constexpr char text[] = {C...};
  constexpr int length = sizeof...(C);
  constexpr bool has_prefix = length > 1 && text[0] == '0';
  constexpr bool is_hex = has_prefix && (text[1] == 'x' || text[1] == 'X'),
                 is_binary = has_prefix && (text[1] == 'b' || text[1] == 'B');
  constexpr bool is_whole = [] {
    for (int i = 0; i < length; ++i)
      if (text[i] == '.' || (!is_hex && (text[i] == 'e' || text[i] == 'E'))) return false;
    return true;
  }();
  static_assert(is_whole, "a number with _c is an integer: write 0.5 alone, or take it as a constexpr_ auto parameter");
  constexpr int base = is_hex ? 16 : is_binary ? 2 : has_prefix ? 8 : 10;
  long long value = 0;
  for (int i = is_hex || is_binary ? 2 : 0; i < length; ++i)
    if (text[i] != '\'') value = value * base + (text[i] <= '9' ? text[i] - '0' : (text[i] | 0x20) - 'a' + 10);
  return value;
}

}  // namespace tl
