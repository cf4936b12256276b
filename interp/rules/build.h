// How the host has one kernel compiled, beside Config: what it was asked for, and which way it tries. Types that know
// no Config depend on it, too (a scalar's divisibility on `formulas`), so it is no parameter of the entry: the host
// writes it into cuda/device/build.h.
#pragma once

namespace tl::rules {

struct StoredTile {
  int rows = 0, columns = 0;
};
inline constexpr int most_turned_tiles = 8;

struct Build {
  bool generic = false;  // nothing newer than sm_80, to test that path on a newer chip
  bool formulas = true;  // Config::formulas
  bool affine_only = false;
  bool lookups = false;     // Config::lookups
  bool one_role = false;    // all warps do the same, unless descriptors are tensor maps
  int working_threads = 0;  // of roles, those that do not copy: the first ones; 0: one role
  // Two warpgroups issue their dots in turn: cuda/device/dot/dots_in_flight.h.
  bool takes_turns = false;
  int programs_per_sm = 1;     // Config::programs_per_sm
  bool prints = false;         // tl.print_if and its like leave what they print in the host's memory
  bool timeline = false;       // the kernel records when and where its programs run
  int max_registers = 0;       // of a thread; 0: the compiler's choice
  int single_slot_levels = 0;  // rings of loops down to this level have one slot: shared memory holds no more
  // Tiles of four bytes an element that the tensor cores want stored the other way round than memory has them: rows
  // and columns as memory has them. The host learns of them by a refusal (cuda/device/dot/wgmma_dot.h).
  bool asks_for_turned_tiles = true;
  StoredTile turned_tiles[most_turned_tiles] = {};
};

}  // namespace tl::rules
