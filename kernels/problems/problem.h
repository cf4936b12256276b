// A problem: everything around a kernel that makes it a runnable, checkable, timeable case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/lang/launch.h"
#include "kernels/problems/tuning.h"

namespace tl::problems {

struct Setting {
  enum class Kind { integer, real, boolean, dtype, text };
  std::string name;           // block
  std::string default_value;  // 1024
  Kind kind = Kind::integer;
  std::string help = "";  // lanes a program; a power of two
  double min = 1, max = 1e12;
  bool power_of_two = false;
  std::vector<std::string> choices = {};  // of dtype and text; empty: any
};

// name=value pairs checked against a problem's settings. Each getter throws Error for a name the problem does not have.
class Settings {
 public:
  std::int64_t integer(const std::string& name) const;  // 1024, also written 2^10
  double real(const std::string& name) const;
  bool boolean(const std::string& name) const;  // true, false, 1, 0, yes, no
  DType dtype(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  std::map<std::string, std::string> values;
};

// How far an output may be from its double reference: |x - ref| <= absolute + relative * |ref|.
struct Tolerance {
  double absolute = 0, relative = 0;
};

// The same work by somebody else's code, on the same tensors.
struct CpuPeer {
  std::string name;                      // Eigen, plain loop; "": no peer
  std::function<void(int threads)> run;  // writes an output of its own; threads 0: all
  std::string missing = "";              // why there is none
};
// How f32 becomes tf32 on its way into a product: rounded, but by Hopper's tensor cores, which read tiles as they came.
// They also keep fewer bits of sums of fp8.
enum class Tf32 : bool { rounded, truncated };

// What cuBLAS or a device copy should do beside the kernel: the CUDA host knows how.
struct CudaPeer {
  enum class Kind { none, copy, gemm };
  Kind kind = Kind::none;
  std::int64_t m = 0, n = 0, k = 0;  // gemm: row-major C[m, n] = A[m, k] B; `b_is_nk`: B stored n x k
  bool b_is_nk = false;
  DType in = DType::float16, out = DType::float16;
  double bytes = 0;   // copy: read plus written
  bool ieee = false;  // gemm: f32 is multiplied exactly, not as tf32
};

// A problem at one choice of settings: tensors filled, launches ready.
struct Instance {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;                       // the last one is what `--show` shows by default
  std::vector<Launch> launches;                      // run in order
  std::vector<Tolerance> tolerances;                 // one an output
  std::vector<Tolerance> truncated_tolerances = {};  // the same under Tf32::truncated; empty: no different
  const std::vector<Tolerance>& tolerances_under(Tf32 tf32) const {
    return tf32 == Tf32::truncated && !truncated_tolerances.empty() ? truncated_tolerances : tolerances;
  }
  // Puts the outputs where they start from: poison, or the zeros that a kernel adds to. Done once by `make`; again
  // before every checked run.
  std::function<void()> reset;
  // The truth in double, computed from the inputs as they are stored (rounded to their dtype), at elements of one
  // output, counted in row-major order. Sorted ones are cheapest: rows are computed once. Empty, or no values of an
  // output: there is no reference.
  std::function<std::vector<double>(std::size_t output, std::span<const std::int64_t> offsets)> reference_at;
  // What sums of the reference may err beyond the tolerances, at elements of an output. May be empty.
  std::function<std::vector<double>(std::size_t output, std::span<const std::int64_t> offsets)> sum_errors_at = {};
  std::function<std::vector<Tensor>()>
      reference;  // all of it: float64 tensors, one an output. Slow for large matrices: see `check`
  std::function<std::string()>
      finish;  // may be empty. After `run`: writes what the problem leaves behind, says so in one line
  double flops = 0, bytes = 0;
  std::optional<DType> accumulates;  // what the kernel keeps its sums in; none: it sums nothing
  CpuPeer cpu_peer;
  CudaPeer cuda_peer;
  bool wrong_on_purpose = false;  // copy_wrong_offsets and its like: a mismatch or a fault is the lesson
};

struct Problem {
  std::string name;     // softmax
  std::string summary;  // one line of `tilescope list`
  std::string source;   // kernels/softmax.h
  std::vector<Setting> settings;
  std::function<Instance(const Settings&, std::uint64_t seed)> make;
  std::vector<std::string> timed =
      {};  // block=1024: settings that a bench takes instead of defaults that are small enough to look at
  // What a Hopper GPU runs these sizes fastest with: a bench on one takes it where the user gave none of it. May be
  // empty.
  std::function<std::vector<NamedValue>(const Settings&)> fast_on_gpu = {};
  // What `parse` below does instead, where words are more than a problem's settings. May be empty.
  std::function<Settings(const std::vector<std::string>&)> parse = {};
  Tuning tuning = {};
  // m=2048 n=16384 ...: settings at which the order of programs shows in bytes from DRAM and in time; L2 holds what the
  // defaults read. May be empty.
  std::vector<std::string> beyond_l2 = {};
};
// The same with the settings that every kernel has, where it lacks them: warps, and how many registers a thread may
// take.
Problem with_launch_settings(Problem problem);

const std::vector<Problem>& all();
// By name, or by a file that `read_files_by` can read. Throws Error that names the nearest problem.
const Problem& find(std::string_view name);
// relu.h, ./relu.h:relu_kernel: no kernel that was built in has a dot in its name.
bool names_file(std::string_view name);
// Whoever makes problems of kernels' files says so once, before the first is looked for.
void read_files_by(Problem (*problem_of_file)(const std::string& name));
// Parses name=value arguments over the defaults; throws Error for an unknown name (nearest named), a value out of
// range, no power of two.
Settings parse(const Problem& problem, const std::vector<std::string>& arguments);

struct Mismatch {
  std::size_t output = 0;   // index of Instance::outputs
  std::int64_t offset = 0;  // element
  double got = 0, expected = 0;
};
struct Verdict {
  bool ok = true;
  std::int64_t checked = 0, wrong = 0;          // elements
  double max_abs_error = 0, max_rel_error = 0;  // relative: where |expected| is above the output's absolute tolerance
  std::optional<Mismatch> first;                // the one of lowest offset
  std::vector<Mismatch> all = {};               // the first 2^16 of them
};
// Compares `outputs` (as many, shaped and typed as the instance's: its own, or copies from a device) with the
// reference: every element, or `samples` of each output drawn at random, for matrices too large to multiply in double.
// Without a reference nothing is checked, and nothing wrong.
Verdict check(const Instance& instance, const std::vector<Tensor>& outputs, std::int64_t samples = 0,
              Tf32 tf32 = Tf32::rounded);
// The same of one element of an output; checked is 0 where no reference tells it.
Verdict check_element(const Instance& instance, std::size_t output, std::int64_t offset, Tf32 tf32 = Tf32::rounded);
// As many samples as the reference computes in a few seconds; 0, every element, where all of them take no longer.
std::int64_t affordable_samples(const Instance& instance);

}  // namespace tl::problems
