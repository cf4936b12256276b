// A launch: a kernel, its grid and its arguments, for whichever executor takes it.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "interp/lang/tensor.h"

namespace tl {

namespace cpu {
class Context;
}

struct Grid {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t programs() const { return x * y * z; }
};

struct TensorArgument {
  Tensor tensor;
};
struct DescriptorArgument {
  Tensor tensor;
  std::vector<int> block_shape;
  bool pads_with_nan = false;  // what lanes outside the tensor read; else 0
};  // a tensor cut in tiles
struct IntArgument {
  std::int64_t value;
  DType dtype = DType::int32;
};  // int32 or int64
struct FloatArgument {
  float value;
};
struct ConstantArgument {
  std::int64_t value;
  bool is_bool = false;
};
struct RealConstantArgument {
  double value;
};
struct TextConstantArgument {
  std::string value;
};
struct DtypeConstantArgument {
  DType value;
};
using Argument = std::variant<TensorArgument, DescriptorArgument, IntArgument, FloatArgument, ConstantArgument,
                              RealConstantArgument, TextConstantArgument, DtypeConstantArgument>;
// t tensor, d descriptor, i int, f float; constants: c an int or a bool, r a float, s a text, y a dtype.
inline char kind_of(const Argument& a) { return "tdifcrsy"[a.index()]; }
inline bool is_constant(char kind) { return kind == 'c' || kind == 'r' || kind == 's' || kind == 'y'; }
// A number or a text as a case and a listing show it: 64, true, 0.5, "relu"; "" for a tensor.
std::string text_of(const Argument&);

struct LaunchOptions {
  int num_warps = 4;
  int num_stages = 3;
  int max_registers = 0;  // a thread's; 0: as many as the compiler likes
};

// A kernel's text in C++, and how it is written.
struct CppText {
  std::string functor;  // its full name
  std::string text;     // includes what it needs
};
struct CppStyle {
  bool has_lines = false;  // #line, so that compilers speak of the original
  std::string name_space = "tl::kernels";
};

struct Launch {
  std::string kernel;  // the functor's full name: tl::kernels::softmax_kernel
  std::string source;  // its file as kernels include it: kernels/softmax.h
  Grid grid;
  LaunchOptions options;
  std::vector<Argument> arguments;                 // in the order of the functor's parameters
  std::vector<Tensor> reached = {};                // beside those, by addresses that a tensor holds
  std::function<void(cpu::Context&)> on_cpu = {};  // runs one program on the interpreter
  // The C++ of a kernel in another language, for compilers; may throw CompileError. Null: `source` is C++.
  std::function<CppText(const CppStyle&)> in_cpp = {};
};

// The tensors by the numbers that addresses use: those of the arguments, then `reached`.
std::vector<Tensor> tensors_of(const Launch&);

}  // namespace tl
