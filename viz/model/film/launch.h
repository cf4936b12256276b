// The input of a launch's film: the schedule in detail, and facts about the kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/machine/device.h"
#include "interp/machine/limits/roofline.h"
#include "interp/machine/schedule/schedule.h"
#include "interp/rules/config.h"
#include "viz/model/film/film.h"

namespace tl::viz::film {

// A block of the kernel in registers, as CUDA's rules share it among threads.
struct ValueInRegisters {
  std::string name;  // acc
  std::string what;  // result of dot
  int line = 0;
  DType dtype = DType::float32;
  rules::Sizes shape;
  rules::Layout layout;
  std::string layout_name;  // wgmma m64n256: ...
};

struct DotInRegisters {
  int m = 0, n = 0, k = 0, line = 0;
  DType left = DType::float32, right = DType::float32;
  std::string left_name, right_name;
};
// The operands as mma.sync takes them; none where another unit multiplies: wgmma reads them from shared memory.
std::vector<ValueInRegisters> operands_of(const DotInRegisters& dot, const rules::Config& config);

// A load whose tiles lie in shared memory.
struct TileInShared {
  int tensor = -1, line = 0;
  int rows = 0, columns = 0;  // as stored
  int element_bytes = 2;
};

struct SourceLine {
  int number = -1;  // -1: stands for lines that are left out
  std::string text;
};

struct LaunchToPlay {
  const trace::AccessRecord& record;
  const machine::Device& device;
  const machine::Schedule& schedule;  // with its accesses
  const machine::Roofline& roofline;
  const machine::Cause& cause;  // of the schedule's time
  std::string kernel, settings;
  rules::Config config;
  int stages = 1;  // slots of a ring
  std::int64_t registers_per_thread = 0, shared_bytes = 0, threads = 0;
  bool is_estimate = false;
  std::vector<SourceLine> source = {};  // of the kernel, those that are shown
  std::vector<ValueInRegisters> values = {};
};

// Every load and store of the text.
struct Op {
  std::string name;  // a
  int tensor = -1, line = 0, column = 0;
  bool is_load = true, is_staged = false;
  std::int64_t rows = 1, columns = 1;
  int element_bytes = 4;
  std::int64_t elements = 0;  // that a program touches at once, at most: without lanes that are masked off
  int first = 0;  // of its three columns in the table of steps: there, found (0: the step has no such access), cell
  std::int64_t bytes() const { return rows * columns * element_bytes; }
  std::int64_t touched_bytes() const { return elements * element_bytes; }
};

// Columns of the table of a place's steps, before those of the ops.
enum StepColumn : int { issue, begin, dot_end, end, before, program, step, slot, segment, first_op };
// Columns of the table of a place's programs.
enum ProgramColumn : int { starts, ends, program_number, wave };
// Columns of the table of a place's tiles: what a program stores together, after the work on it.
enum TileColumn : int { tile_starts, tile_ends, tile_number };
inline constexpr int op_columns = 3;

std::vector<Op> ops_of(const LaunchToPlay& launch);
inline constexpr int tables_a_place = 3, of_programs = 1;  // steps, programs, tiles

Film film_of(const LaunchToPlay& launch);

}  // namespace tl::viz::film
