// A problem: everything around a kernel that makes it a runnable, checkable, timeable case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "interp/lang/launch.h"

namespace tl::problems {

struct Setting {
  enum class Kind { integer, real, boolean, dtype, text };
  std::string name;           // block
  std::string default_value;  // 1024
  Kind kind = Kind::integer;
  std::string help;           // lanes a program; a power of two
  double min = 1, max = 1e12;
  bool power_of_two = false;
  std::vector<std::string> choices;  // of dtype and text; empty: any
};

// name=value pairs checked against a problem's settings. Each getter throws Error for a name the problem does not have.
class Settings {
 public:
  std::int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  bool boolean(const std::string& name) const;
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
  std::string name;                      // Eigen, plain loop
  std::function<void(int threads)> run;  // writes an output of its own
};
// What cuBLAS or a device copy should do beside the kernel: the CUDA host knows how.
struct CudaPeer {
  enum class Kind { none, copy, gemm };
  Kind kind = Kind::none;
  std::int64_t m = 0, n = 0, k = 0;     // gemm: row-major C[m, n] = A[m, k] B; `b_is_nk`: B stored n x k
  bool b_is_nk = false;
  DType in = DType::float16, out = DType::float16;
  double bytes = 0;                     // copy: read plus written
};

// A problem at one choice of settings: tensors filled, launches ready.
struct Instance {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;                       // the last one is what `--show` shows by default
  std::vector<Launch> launches;                      // run in order
  std::function<std::vector<Tensor>()> reference;    // float64 tensors, one an output
  std::vector<Tolerance> tolerances;                 // one an output
  double flops = 0, bytes = 0;
  CpuPeer cpu_peer;
  CudaPeer cuda_peer;
  bool wrong_on_purpose = false;                     // copy_wrong_offsets and its like: a mismatch is the lesson
};

struct Problem {
  std::string name;      // softmax
  std::string summary;   // one line of `tilescope list`
  std::string source;    // kernels/softmax.h
  std::vector<Setting> settings;
  std::function<Instance(const Settings&, std::uint64_t seed)> make;
};

const std::vector<Problem>& all();
// Throws Error that names the nearest problem.
const Problem& find(const std::string& name);
// Parses name=value arguments over the defaults; throws Error for an unknown name (nearest named), a value out of range, no power of two.
Settings parse(const Problem& problem, const std::vector<std::string>& arguments);

}  // namespace tl::problems
