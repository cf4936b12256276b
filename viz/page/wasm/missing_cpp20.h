// What emscripten's libc++ lacks: before version 16 parts of C++20, ranges' algorithms, floating to_chars and
// from_chars.
#pragma once

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 16000

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace std {
namespace ranges {

#define TL_BY_PREDICATE(name)                                                                             \
  template <class R, class F, class P = identity>                                                         \
  constexpr auto name(R&& r, F f, P p = {}) {                                                             \
    return std::name(std::begin(r), std::end(r), [&](const auto& x) { return invoke(f, invoke(p, x)); }); \
  }
TL_BY_PREDICATE(all_of)
TL_BY_PREDICATE(any_of)
TL_BY_PREDICATE(none_of)
TL_BY_PREDICATE(find_if)
TL_BY_PREDICATE(find_if_not)
TL_BY_PREDICATE(count_if)
#undef TL_BY_PREDICATE

#define TL_BY_COMPARISON(name, by)                                                                         \
  template <class R, class C = by, class P = identity>                                                     \
  constexpr auto name(R&& r, C c = {}, P p = {}) {                                                         \
    return std::name(std::begin(r), std::end(r),                                                           \
                     [&](const auto& x, const auto& y) { return invoke(c, invoke(p, x), invoke(p, y)); }); \
  }
TL_BY_COMPARISON(sort, std::less<>)
TL_BY_COMPARISON(stable_sort, std::less<>)
TL_BY_COMPARISON(is_sorted, std::less<>)
TL_BY_COMPARISON(min_element, std::less<>)
TL_BY_COMPARISON(max_element, std::less<>)
TL_BY_COMPARISON(adjacent_find, std::equal_to<>)
#undef TL_BY_COMPARISON

template <class R, class F>
constexpr auto for_each(R&& r, F f) {
  return std::for_each(std::begin(r), std::end(r), f);
}
template <class R, class T, class P = identity>
constexpr auto find(R&& r, const T& t, P p = {}) {
  return std::find_if(std::begin(r), std::end(r), [&](const auto& x) { return invoke(p, x) == t; });
}
template <class R, class T, class P = identity>
constexpr auto count(R&& r, const T& t, P p = {}) {
  return std::count_if(std::begin(r), std::end(r), [&](const auto& x) { return invoke(p, x) == t; });
}
template <class R, class T>
constexpr void fill(R&& r, const T& t) {
  std::fill(std::begin(r), std::end(r), t);
}
template <class R>
constexpr void reverse(R&& r) {
  std::reverse(std::begin(r), std::end(r));
}
template <class R, class O>
constexpr auto move(R&& r, O o) {
  return std::move(std::begin(r), std::end(r), o);
}
template <class A, class B, class O>
constexpr auto set_intersection(A&& a, B&& b, O o) {
  return std::set_intersection(std::begin(a), std::end(a), std::begin(b), std::end(b), o);
}
template <class R, class T>
constexpr void replace(R&& r, const T& from, const T& to) {
  std::replace(std::begin(r), std::end(r), from, to);
}
template <class I, class N, class O>
constexpr auto copy_n(I from, N n, O o) {
  return std::copy_n(from, n, o);
}
template <class R, class O, class F>
constexpr auto copy_if(R&& r, O o, F f) {
  return std::copy_if(std::begin(r), std::end(r), o, [&](const auto& x) { return invoke(f, x); });
}
template <class R, class T>
constexpr bool binary_search(R&& r, const T& t) {
  return std::binary_search(std::begin(r), std::end(r), t);
}
template <class R, class O>
constexpr auto copy(R&& r, O o) {
  return std::copy(std::begin(r), std::end(r), o);
}
template <class R, class O, class F>
constexpr auto transform(R&& r, O o, F f) {
  return std::transform(std::begin(r), std::end(r), o, [&](const auto& x) { return invoke(f, x); });
}
template <class A, class B, class F = std::equal_to<>, class P = identity, class Q = identity>
constexpr bool equal(A&& a, B&& b, F f = {}, P p = {}, Q q = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b),
                    [&](const auto& x, const auto& y) { return invoke(f, invoke(p, x), invoke(q, y)); });
}
template <class R, class T, class C = std::less<>, class P = identity>
constexpr auto lower_bound(R&& r, const T& t, C c = {}, P p = {}) {
  return std::lower_bound(std::begin(r), std::end(r), t,
                          [&](const auto& x, const T& y) { return invoke(c, invoke(p, x), y); });
}
template <class R, class T, class C = std::less<>, class P = identity>
constexpr auto upper_bound(R&& r, const T& t, C c = {}, P p = {}) {
  return std::upper_bound(std::begin(r), std::end(r), t,
                          [&](const T& y, const auto& x) { return invoke(c, y, invoke(p, x)); });
}
template <class R, class C = std::less<>, class P = identity>
constexpr auto max(R&& r, C c = {}, P p = {}) {
  return *ranges::max_element(r, c, p);
}
template <class T>
constexpr auto max(initializer_list<T> l) {
  return *std::max_element(l.begin(), l.end());
}
template <class R, class C = std::less<>, class P = identity>
constexpr auto min(R&& r, C c = {}, P p = {}) {
  return *ranges::min_element(r, c, p);
}
template <class T>
struct MinMax {
  T min, max;
};
template <class T>
constexpr auto minmax(initializer_list<T> l) {
  const auto [low, high] = std::minmax_element(l.begin(), l.end());
  return MinMax<T>{*low, *high};
}
template <class R, class C = std::less<>, class P = identity>
constexpr auto minmax_element(R&& r, C c = {}, P p = {}) {
  const auto found = std::minmax_element(
      std::begin(r), std::end(r), [&](const auto& x, const auto& y) { return invoke(c, invoke(p, x), invoke(p, y)); });
  return MinMax<decay_t<decltype(found.first)>>{found.first, found.second};
}
template <class R, class C = std::less<>, class P = identity>
constexpr auto minmax(R&& r, C c = {}, P p = {}) {
  const auto [low, high] = ranges::minmax_element(r, c, p);
  return MinMax<decay_t<decltype(*low)>>{*low, *high};
}

}  // namespace ranges

// As few digits as tell the value from its neighbours; without a format the shorter of both.
template <class T>
to_chars_result shortest_digits(char* begin, char* end, T v, chars_format format) {
  char text[400];
  for (int digits = 0; digits <= (sizeof(T) == 4 ? 8 : 16); ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits, static_cast<double>(v));
    if ((sizeof(T) == 4 ? static_cast<T>(std::strtof(text, nullptr)) : static_cast<T>(std::strtod(text, nullptr))) == v)
      break;
  }
  const string scientific = text;
  const size_t e = scientific.find('e');
  const string sign = scientific[0] == '-' ? "-" : "";
  string digits = scientific.substr(sign.size(), 1), fixed;
  if (e > sign.size() + 2) digits += scientific.substr(sign.size() + 2, e - sign.size() - 2);
  const int exponent = e == string::npos ? 0 : std::atoi(scientific.c_str() + e + 1),
            count = static_cast<int>(digits.size());
  if (e == string::npos) fixed = scientific;  // inf, nan
  else if (exponent < 0) fixed = sign + "0." + string(static_cast<size_t>(-exponent - 1), '0') + digits;
  else if (exponent >= count - 1) {
    std::snprintf(text, sizeof text, "%.0f", static_cast<double>(v));
    fixed = text;
  }  // exact
  else
    fixed = sign + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
  const bool is_fixed =
      format == chars_format::fixed || (format == chars_format{} && fixed.size() <= scientific.size());
  const string& chosen = is_fixed ? fixed : scientific;
  if (static_cast<ptrdiff_t>(chosen.size()) > end - begin) return {end, errc::value_too_large};
  return {std::copy(chosen.begin(), chosen.end(), begin), errc()};
}
inline to_chars_result to_chars(char* begin, char* end, double v, chars_format format = {}) {
  return shortest_digits(begin, end, v, format);
}
inline to_chars_result to_chars(char* begin, char* end, float v, chars_format format = {}) {
  return shortest_digits(begin, end, v, format);
}
inline from_chars_result from_chars(const char* begin, const char* end, double& v) {
  const string t(begin, end);
  char* after = nullptr;
  const double x = std::strtod(t.c_str(), &after);
  if (after == t.c_str()) return {begin, errc::invalid_argument};
  v = x;
  return {begin + (after - t.c_str()), errc()};
}

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
inline strong_ordering operator<=>(const string& a, const string& b) { return a.compare(b) <=> 0; }
inline strong_ordering operator<=>(string_view a, string_view b) { return a.compare(b) <=> 0; }
template <class T>
  requires is_unbounded_array_v<T>
unique_ptr<T> make_unique_for_overwrite(size_t n) {
  return unique_ptr<T>(new remove_extent_t<T>[n]);
}
template <class T>
  requires is_unbounded_array_v<T>
shared_ptr<T> make_shared(size_t n) {
  return shared_ptr<T>(new remove_extent_t<T>[n]());
}

}  // namespace std

#endif

#ifdef _LIBCPP_VERSION  // no version of it has the special functions of C++17

#include <cmath>

namespace std {

// The power series: all its terms are positive, so that none cancels another.
inline double cyl_bessel_i(double order, double x) {
  double term = pow(x / 2, order) / tgamma(order + 1), sum = term;
  for (int k = 1; term > sum * 1e-17; ++k) sum += term *= x / 2 / k * (x / 2) / (k + order);
  return sum;
}

}  // namespace std

#endif
