// Philox. Included by interp/cpu/loops.inl, within its namespace.

inline PhiloxCounter draw(std::uint64_t seed, u32 low, u32 high) {
  return tl::philox(static_cast<unsigned long long>(seed), low, high);
}

void philox_loop(u32* __restrict out, std::uint64_t seed, const u32* low, const u32* high, i64 n) {
  if (high)
    for (i64 i = 0; i < n; ++i) out[i] = draw(seed, low[i], high[i]).c0;
  else
    for (i64 i = 0; i < n; ++i) out[i] = draw(seed, low[i], 0).c0;
}
void philox_pair_loop(u32* __restrict out0, u32* __restrict out1, std::uint64_t seed, const u32* low, const u32* high,
                      i64 n) {
  for (i64 i = 0; i < n; ++i) {
    const PhiloxCounter c = draw(seed, low[i], high ? high[i] : 0);
    out0[i] = c.c0;
    out1[i] = c.c1;
  }
}

void uniform_loop(float* out, const u32* words, i64 n) {
  for (i64 i = 0; i < n; ++i) out[i] = tl::uniform_of(words[i]);
}
