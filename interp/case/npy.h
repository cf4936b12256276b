// NumPy's files of one array, read and written.
#pragma once

#include <string>
#include <vector>

#include "interp/lang/tensor.h"

namespace tl::cases {

struct NpyHeader {
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::size_t data = 0;  // where the elements begin
};
// Throws Error that names the file, what is wrong, and the line of Python that mends it.
NpyHeader read_npy_header(const std::string& path);
Tensor read_npy(const std::string& name, const std::string& path);
// bf16 and fp8, which NumPy lacks, as float32.
void write_npy(const Tensor& t, const std::string& path);

}  // namespace tl::cases
