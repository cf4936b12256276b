// When and where programs ran on a GPU: what a kernel compiled to record it tells the host. Both read this one
// declaration.
#pragma once

namespace tl::cuda {

// A program, from its first warp's first instruction to its last warp's last one. Times are %globaltimer's, in
// nanoseconds.
struct ProgramTimes {
  unsigned long long start, end;
  int sm;
};

// One loop of a program whose warps have roles, as its first thread saw it: a persistent program has one a tile, and
// one around them.
struct StretchTimes {
  unsigned long long start, end;
  int program;
};

struct TimelineRecord {
  ProgramTimes* programs;  // by linear id, axis 0 fastest
  StretchTimes* stretches;
  int capacity, stretch_count;  // of stretches: room, and how many there were
};

// tl::cuda::global_of<tl::cuda::Timeline>, which holds the record's address
inline constexpr const char* timeline_symbol = "_ZN2tl4cuda9global_ofINS0_8TimelineEEE";

}  // namespace tl::cuda
