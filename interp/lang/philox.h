// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), as Triton draws from it. Free
// of std.
#pragma once

namespace tl {

using PhiloxWord = unsigned int;

struct PhiloxCounter {
  PhiloxWord c0, c1, c2, c3;
};

constexpr PhiloxWord umulhi32(PhiloxWord a, PhiloxWord b) {
  return static_cast<PhiloxWord>((static_cast<unsigned long long>(a) * b) >> 32);
}

struct PhiloxProduct {
  PhiloxWord high, low;
};
struct WideMultiply {
  constexpr PhiloxProduct operator()(PhiloxWord a, PhiloxWord b) const {
    const unsigned long long p = static_cast<unsigned long long>(a) * b;
    return {static_cast<PhiloxWord>(p >> 32), static_cast<PhiloxWord>(p)};
  }
};

struct PhiloxKey {
  PhiloxWord k0, k1;
};
constexpr PhiloxKey next_key(PhiloxKey k) { return {k.k0 + 0x9E3779B9u, k.k1 + 0xBB67AE85u}; }

inline constexpr int philox_rounds = 10;
template <class Multiply = WideMultiply>
constexpr PhiloxCounter philox_round(PhiloxCounter c, PhiloxKey k, Multiply multiply = {}) {
  const PhiloxProduct p = multiply(0xCD9E8D57u, c.c2), q = multiply(0xD2511F53u, c.c0);
  return {p.high ^ c.c1 ^ k.k0, p.low, q.high ^ c.c3 ^ k.k1, q.low};
}

// Ten rounds; the key is the seed's low and high word. `multiply` is what the machine does best.
template <class Multiply = WideMultiply>
constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxWord k0, PhiloxWord k1, Multiply multiply = {}) {
  PhiloxKey k{k0, k1};
  for (int round = 0; round < philox_rounds; ++round, k = next_key(k)) c = philox_round(c, k, multiply);
  return c;
}

// A seed is sign-extended to 64 bits. The counter is (offset's low word, its high word, 0, 0); an offset of 32 bits has
// no high word.
template <class Multiply = WideMultiply>
constexpr PhiloxCounter philox(unsigned long long seed, PhiloxWord offset_low, PhiloxWord offset_high,
                               Multiply multiply = {}) {
  return philox(PhiloxCounter{offset_low, offset_high, 0, 0}, static_cast<PhiloxWord>(seed),
                static_cast<PhiloxWord>(seed >> 32), multiply);
}

// 32 bits to a float in [0, 1): as int32, (x < 0 ? -x - 1 : x) * 2^-31, just under.
constexpr float uniform_of(PhiloxWord bits) {
  const int x = static_cast<int>(bits);
  return static_cast<float>(x < 0 ? -(x + 1) : x) * 4.6566127342e-10f;
}

// randn is Box-Muller over the first two words: sqrt(-2 log u1) cos(2 pi u2), u1 = max(smallest_uniform, u1).
inline constexpr float smallest_uniform = 1.0e-7f;
inline constexpr float two_pi = 6.283185307179586f;

}  // namespace tl
