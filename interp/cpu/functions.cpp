// The functions that kernels use seldom: of C's library, once for every machine; f32 by way of double, so that each is
// right to less than an ulp.
#include <cmath>

#include "interp/cpu/functions.h"
#include "interp/cpu/state.h"

namespace tl::cpu {

namespace {

template <double (*F)(double), class T>
void each(void* out_, const void* in_, std::int64_t stride, std::int64_t n) {
  auto* out = static_cast<T*>(out_);
  const auto* in = static_cast<const T*>(in_);
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(F(static_cast<double>(in[i * stride])));
}
template <auto F, class T>
void each_pair(void* out_, const void* a_, std::int64_t sa, const void* b_, std::int64_t sb, std::int64_t n) {
  auto* out = static_cast<T*>(out_);
  const auto *a = static_cast<const T*>(a_), *b = static_cast<const T*>(b_);
  for (std::int64_t i = 0; i < n; ++i) out[i] = F(a[i * sa], b[i * sb]);
}

// Modified, of the first kind; I0 is even, I1 odd.
template <int Order>
double bessel_i(double x) {
  const double magnitude = std::cyl_bessel_i(static_cast<double>(Order), std::abs(x));
  return Order % 2 ? std::copysign(magnitude, x) : magnitude;
}

double power_of_ten(double x) { return std::pow(10.0, x); }

#define TL_ONE(NAME, F) \
  case Op::NAME: return d == DType::float32 ? each<F, float> : each<F, double>;

}  // namespace

UnaryLoop function_loop(Op op, DType d) {
  if (d != DType::float32 && d != DType::float64) return nullptr;
  switch (op) {
    TL_ONE(tanh, std::tanh)
    TL_ONE(log1p, std::log1p)
    TL_ONE(expm1, std::expm1)
    TL_ONE(tan, std::tan)
    TL_ONE(asin, std::asin)
    TL_ONE(acos, std::acos)
    TL_ONE(atan, std::atan)
    TL_ONE(sinh, std::sinh)
    TL_ONE(cosh, std::cosh)
    TL_ONE(asinh, std::asinh)
    TL_ONE(acosh, std::acosh)
    TL_ONE(atanh, std::atanh)
    TL_ONE(cbrt, std::cbrt)
    TL_ONE(exp10, power_of_ten)
    TL_ONE(log10, std::log10)
    TL_ONE(erfc, std::erfc)
    TL_ONE(lgamma, std::lgamma)
    TL_ONE(tgamma, std::tgamma)
    TL_ONE(round, std::round)
    TL_ONE(rint, std::rint)
    TL_ONE(trunc, std::trunc)
    TL_ONE(j0, ::j0)
    TL_ONE(j1, ::j1)
    TL_ONE(y0, ::y0)
    TL_ONE(y1, ::y1)
    TL_ONE(cyl_bessel_i0, bessel_i<0>)
    TL_ONE(cyl_bessel_i1, bessel_i<1>)
    default: return nullptr;
  }
}
#undef TL_ONE

#define TL_TWO(NAME, F)                                                                                   \
  case Op::NAME:                                                                                          \
    return d == DType::float32 ? each_pair<[](float a, float b) { return static_cast<float>(F); }, float> \
                               : each_pair<[](double a, double b) { return F; }, double>;

BinaryLoop function_loop_of_two(Op op, DType d) {
  if (d != DType::float32 && d != DType::float64) return nullptr;
  switch (op) {
    TL_TWO(pow, std::pow(static_cast<double>(a), static_cast<double>(b)))
    TL_TWO(atan2, std::atan2(static_cast<double>(a), static_cast<double>(b)))
    TL_TWO(fmod, std::fmod(a, b))
    TL_TWO(copysign, std::copysign(a, b))
    TL_TWO(hypot, std::hypot(static_cast<double>(a), static_cast<double>(b)))
    TL_TWO(fdim, std::fdim(a, b))
    TL_TWO(nextafter, std::nextafter(a, b))
    default: return nullptr;
  }
}
#undef TL_TWO

#define TL_FUNCTION(NAME)                                               \
  Block Context::NAME(const Block& x, Location location) {              \
    const Where w{state_, Op::NAME, location};                          \
    return Block(finish(w, {x.data()}, unary(w, *x.data())).release()); \
  }
TL_FUNCTION(tanh)
TL_FUNCTION(log1p)
TL_FUNCTION(expm1)
TL_FUNCTION(tan)
TL_FUNCTION(asin)
TL_FUNCTION(acos)
TL_FUNCTION(atan)
TL_FUNCTION(sinh)
TL_FUNCTION(cosh)
TL_FUNCTION(asinh)
TL_FUNCTION(acosh)
TL_FUNCTION(atanh)
TL_FUNCTION(cbrt)
TL_FUNCTION(exp10)
TL_FUNCTION(log10)
TL_FUNCTION(erfc)
TL_FUNCTION(lgamma)
TL_FUNCTION(tgamma)
TL_FUNCTION(round)
TL_FUNCTION(rint)
TL_FUNCTION(trunc)
TL_FUNCTION(j0)
TL_FUNCTION(j1)
TL_FUNCTION(y0)
TL_FUNCTION(y1)
TL_FUNCTION(cyl_bessel_i0)
TL_FUNCTION(cyl_bessel_i1)
#undef TL_FUNCTION

namespace {
Block of_two(State& s, Op op, Location location, const Operand& a, const Operand& b) {
  const Where w{s, op, location};
  const auto real = [&](const Operand& o) {  // integers join as fp32
    TypedOperand v = typed_operand(s, o);
    if (v.weak) {
      if (v.literal.kind != LiteralKind::real) v.literal = Literal(static_cast<double>(v.literal.integer));
    } else if (is_integer(v.data->dtype)) v.data = cast(w, *v.data, DType::float32);
    return v;
  };
  const TypedOperand x = real(a), y = real(b);
  Ref r = binary(w, x, y);
  if (x.weak) s.note(0, x.literal);
  if (y.weak) s.note(1, y.literal);
  return Block(
      finish(w, {a.block ? a.block->data() : nullptr, b.block ? b.block->data() : nullptr}, std::move(r)).release());
}
}  // namespace

#define TL_FUNCTION(NAME) \
  Block Context::NAME(Operand a, Operand b, Location p) { return of_two(state_, Op::NAME, p, a, b); }
TL_FUNCTION(pow)
TL_FUNCTION(atan2)
TL_FUNCTION(fmod)
TL_FUNCTION(copysign)
TL_FUNCTION(hypot)
TL_FUNCTION(fdim)
TL_FUNCTION(nextafter)
#undef TL_FUNCTION

// a / b of floats; of integers too, which / would cut.
Block Context::div_rn(Operand a, Operand b, Location p) {
  if (a.block && is_integer(a.block->dtype.value)) {
    const Block x = a.block->to(float32, p);
    return div_rn(x, b, p);
  }
  if (b.block && is_integer(b.block->dtype.value)) {
    const Block y = b.block->to(float32, p);
    return div_rn(a, y, p);
  }
  return of_two(state_, Op::div, p, a, b);
}
Block Context::fdiv(Operand a, Operand b, Location p) { return div_rn(a, b, p); }
Block Context::sqrt_rn(const Block& x, Location p) { return sqrt(x, p); }

namespace {
// A question to each lane, answered by a comparison.
Block asked(State& s, Op op, Location p, const Value& d, Op comparison, bool of_magnitude, const TypedOperand& other) {
  const Where w{s, op, p};
  const Ref x = is_float(d.dtype) ? Ref::share(&d) : cast(w, d, DType::float32);
  const Ref side = of_magnitude ? unary({s, Op::abs, p}, *x) : x;
  return Block(finish(w, {&d}, binary({s, comparison, p}, {side}, other.weak ? other : TypedOperand{x})).release());
}
TypedOperand infinity() { return {{}, true, Literal(__builtin_inf())}; }
}  // namespace

Block Context::isnan(const Block& x, Location p) { return asked(state_, Op::isnan, p, *x.data(), Op::ne, false, {}); }
Block Context::isinf(const Block& x, Location p) {
  return asked(state_, Op::isinf, p, *x.data(), Op::eq, true, infinity());
}
Block Context::isfinite(const Block& x, Location p) {
  return asked(state_, Op::isfinite, p, *x.data(), Op::lt, true, infinity());
}
// True for -0 and for a negative NaN, too.
Block Context::signbit(const Block& x, Location p) {
  const Where w{state_, Op::signbit, p};
  const Ref d = is_float(x.data()->dtype) ? Ref::share(x.data()) : cpu::cast(w, *x.data(), DType::float32);
  const TypedOperand one{{}, true, Literal(1.0)};
  const Ref sign = binary({state_, Op::copysign, p}, one, {d});
  return Block(finish(w, {x.data()}, binary({state_, Op::lt, p}, {sign}, {{}, true, Literal(0)})).release());
}

Block Libdevice::tanh(const Block& x, Location p) { return tl_.tanh(x, p); }
Block Libdevice::log1p(const Block& x, Location p) { return tl_.log1p(x, p); }
Block Libdevice::expm1(const Block& x, Location p) { return tl_.expm1(x, p); }
Block Libdevice::tan(const Block& x, Location p) { return tl_.tan(x, p); }
Block Libdevice::asin(const Block& x, Location p) { return tl_.asin(x, p); }
Block Libdevice::acos(const Block& x, Location p) { return tl_.acos(x, p); }
Block Libdevice::atan(const Block& x, Location p) { return tl_.atan(x, p); }
Block Libdevice::sinh(const Block& x, Location p) { return tl_.sinh(x, p); }
Block Libdevice::cosh(const Block& x, Location p) { return tl_.cosh(x, p); }
Block Libdevice::asinh(const Block& x, Location p) { return tl_.asinh(x, p); }
Block Libdevice::acosh(const Block& x, Location p) { return tl_.acosh(x, p); }
Block Libdevice::atanh(const Block& x, Location p) { return tl_.atanh(x, p); }
Block Libdevice::cbrt(const Block& x, Location p) { return tl_.cbrt(x, p); }
Block Libdevice::exp10(const Block& x, Location p) { return tl_.exp10(x, p); }
Block Libdevice::log10(const Block& x, Location p) { return tl_.log10(x, p); }
Block Libdevice::erfc(const Block& x, Location p) { return tl_.erfc(x, p); }
Block Libdevice::lgamma(const Block& x, Location p) { return tl_.lgamma(x, p); }
Block Libdevice::tgamma(const Block& x, Location p) { return tl_.tgamma(x, p); }
Block Libdevice::round(const Block& x, Location p) { return tl_.round(x, p); }
Block Libdevice::rint(const Block& x, Location p) { return tl_.rint(x, p); }
Block Libdevice::trunc(const Block& x, Location p) { return tl_.trunc(x, p); }
Block Libdevice::j0(const Block& x, Location p) { return tl_.j0(x, p); }
Block Libdevice::j1(const Block& x, Location p) { return tl_.j1(x, p); }
Block Libdevice::y0(const Block& x, Location p) { return tl_.y0(x, p); }
Block Libdevice::y1(const Block& x, Location p) { return tl_.y1(x, p); }
Block Libdevice::cyl_bessel_i0(const Block& x, Location p) { return tl_.cyl_bessel_i0(x, p); }
Block Libdevice::cyl_bessel_i1(const Block& x, Location p) { return tl_.cyl_bessel_i1(x, p); }
Block Libdevice::isnan(const Block& x, Location p) { return tl_.isnan(x, p); }
Block Libdevice::isinf(const Block& x, Location p) { return tl_.isinf(x, p); }
Block Libdevice::signbit(const Block& x, Location p) { return tl_.signbit(x, p); }
Block Libdevice::exp(const Block& x, Location p) { return tl_.exp(x, p); }
Block Libdevice::exp2(const Block& x, Location p) { return tl_.exp2(x, p); }
Block Libdevice::log(const Block& x, Location p) { return tl_.log(x, p); }
Block Libdevice::log2(const Block& x, Location p) { return tl_.log2(x, p); }
Block Libdevice::sqrt(const Block& x, Location p) { return tl_.sqrt(x, p); }
Block Libdevice::rsqrt(const Block& x, Location p) { return tl_.rsqrt(x, p); }
Block Libdevice::sin(const Block& x, Location p) { return tl_.sin(x, p); }
Block Libdevice::cos(const Block& x, Location p) { return tl_.cos(x, p); }
Block Libdevice::erf(const Block& x, Location p) { return tl_.erf(x, p); }
Block Libdevice::floor(const Block& x, Location p) { return tl_.floor(x, p); }
Block Libdevice::ceil(const Block& x, Location p) { return tl_.ceil(x, p); }
Block Libdevice::abs(const Block& x, Location p) { return tl_.abs(x, p); }
Block Libdevice::sqrt_rn(const Block& x, Location p) { return tl_.sqrt_rn(x, p); }
Block Libdevice::nearbyint(const Block& x, Location p) { return tl_.rint(x, p); }
Block Libdevice::finitef(const Block& x, Location p) { return tl_.isfinite(x, p); }
Block Libdevice::isfinited(const Block& x, Location p) { return tl_.isfinite(x, p); }
Block Libdevice::fast_expf(const Block& x, Location p) { return tl_.exp(x, p); }
Block Libdevice::fast_exp10f(const Block& x, Location p) { return tl_.exp10(x, p); }
Block Libdevice::fast_logf(const Block& x, Location p) { return tl_.log(x, p); }
Block Libdevice::fast_log2f(const Block& x, Location p) { return tl_.log2(x, p); }
Block Libdevice::fast_log10f(const Block& x, Location p) { return tl_.log10(x, p); }
Block Libdevice::fast_sinf(const Block& x, Location p) { return tl_.sin(x, p); }
Block Libdevice::fast_cosf(const Block& x, Location p) { return tl_.cos(x, p); }
Block Libdevice::fast_tanf(const Block& x, Location p) { return tl_.tan(x, p); }
Block Libdevice::rsqrt_rn(const Block& x, Location p) { return tl_.rsqrt(x, p); }
Block Libdevice::llrint(const Block& x, Location p) { return tl_.rint(x, p).to(tl_.int64, p); }
Block Libdevice::llround(const Block& x, Location p) { return tl_.round(x, p).to(tl_.int64, p); }
Block Libdevice::pow(Operand a, Operand b, Location p) { return tl_.pow(a, b, p); }
Block Libdevice::atan2(Operand a, Operand b, Location p) { return tl_.atan2(a, b, p); }
Block Libdevice::fmod(Operand a, Operand b, Location p) { return tl_.fmod(a, b, p); }
Block Libdevice::copysign(Operand a, Operand b, Location p) { return tl_.copysign(a, b, p); }
Block Libdevice::hypot(Operand a, Operand b, Location p) { return tl_.hypot(a, b, p); }
Block Libdevice::fdim(Operand a, Operand b, Location p) { return tl_.fdim(a, b, p); }
Block Libdevice::nextafter(Operand a, Operand b, Location p) { return tl_.nextafter(a, b, p); }
Block Libdevice::div_rn(Operand a, Operand b, Location p) { return tl_.div_rn(a, b, p); }
Block Libdevice::fast_powf(Operand a, Operand b, Location p) { return tl_.pow(a, b, p); }
Block Libdevice::fast_dividef(Operand a, Operand b, Location p) { return tl_.div_rn(a, b, p); }

}  // namespace tl::cpu
