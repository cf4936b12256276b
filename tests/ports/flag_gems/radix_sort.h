// One pass of a radix sort of floats, the keys' four highest bits: each tile counts its keys of a bin, looks back for
// what the tiles before it have, and moves its own, and what goes with them, to their places.
// After sweep in src/flag_gems/ops/sort.py of FlagOpen/FlagGems at 532ff438c703.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// The bits of a float as an unsigned integer of the same order.
auto ordered_bits(auto& tl, auto x, constexpr_ auto DESCENDING) {
  auto signs = (x.to(tl.int32, tl.bitcast) >> 31).to(tl.uint32, tl.bitcast) | 0x80000000u;
  auto bits = x.to(tl.uint32, tl.bitcast) ^ signs;
  return DESCENDING ? ~bits : bits;
}

// case: n=700 tiles=3 keys=f32[n]:each((i%2*2-1)*(0.5+i/2%2*2+i*0.001)) values=i64[n]:iota keys_out=out:f32[n]
// case: values_out=out:i64[n] starts=u32[16]:values(0,0,0,0,175,350,350,350,350,350,350,350,525,700,700,700)
// case: status=inout:u32[16,tiles]:zeros bit_offset=28 n_keys=n n_tiles=tiles TILE=256 BITS=4 DESCENDING=true
// case: grid=tiles expect=radix_pass_loop
struct radix_pass_kernel {
  void operator()(auto& tl, ptr auto keys_ptr, ptr auto values_ptr, ptr auto keys_out_ptr, ptr auto values_out_ptr,
                  ptr auto starts_ptr, ptr auto status_ptr, int_ auto bit_offset, int_ auto n_keys, int_ auto n_tiles,
                  constexpr_ auto TILE, constexpr_ auto BITS, constexpr_ auto DESCENDING) const {
    constexpr unsigned own_count = 1u << 30, all_before = 1u << 31, counted = own_count - 1;
    auto pid = tl.program_id(0);
    auto offs = pid * TILE + tl.arange(0, TILE);
    auto mask = offs < n_keys;
    auto keys = tl.load(keys_ptr + offs, {.mask = mask, .other = 0});
    auto digit = (ordered_bits(tl, keys, DESCENDING) >> bit_offset) & ((1_c << BITS) - 1_c);
    for (auto bin : tl.range(0, 1_c << BITS)) {
      auto is_mine = mask & (digit == bin);
      auto count = tl.sum(is_mine.to(tl.uint32), 0);
      auto status = status_ptr + bin * n_tiles;
      tl.atomic_xchg(status + pid, count | own_count);
      auto before = tl.zeros(tl.shape(), tl.uint32);
      auto i = pid - 1;
      while (i >= 0) {
        auto seen = tl.atomic_add(status + i, 0u);
        while (seen == 0) seen = tl.atomic_add(status + i, 0u);
        before += seen & counted;
        if ((seen & own_count) != 0) i -= 1;
        else i = -1;
      }
      tl.atomic_xchg(status + pid, (before + count) | all_before);
      auto place = tl.load(starts_ptr + bin) + before + tl.cumsum(is_mine.to(tl.uint32), 0) - 1;
      tl.store(keys_out_ptr + place, keys, {.mask = is_mine});
      if (!tl.is_none(values_ptr))
        tl.store(values_out_ptr + place, tl.load(values_ptr + offs, {.mask = mask}), {.mask = is_mine});
    }
  }
};

// From 2 on, from 0 on, above -2, the rest: what the four bits of a float tell of these; each in the order it had.
void radix_pass_loop(auto& args) {
  auto keys = args["keys"], values = args["values"], keys_out = args["keys_out"], values_out = args["values_out"];
  const auto bin_of = [](double x) { return x >= 2 ? 0 : x >= 0 ? 1 : x > -2 ? 2 : 3; };
  for (int i = 0; i < keys.size(0); ++i) {
    int place = 0;
    for (int j = 0; j < keys.size(0); ++j)
      place += bin_of(keys(j)) < bin_of(keys(i)) || (bin_of(keys(j)) == bin_of(keys(i)) && j < i);
    keys_out(place) = keys(i);
    values_out(place) = values(i);
  }
}

}  // namespace tl::ports
