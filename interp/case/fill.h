// What a tensor of a case holds before the kernel runs.
#pragma once

#include "interp/case/scope.h"
#include "interp/lang/tensor.h"

namespace tl::cases {

// Makes the tensor that a word describes, with its fill, or with what its file holds. `stream` tells tensors of one
// case apart. Throws Error: sizes that are none, a file that does not fit.
Tensor filled_tensor(const std::string& name, const Word& word, const TensorWord& t, const Scope& scope,
                     std::uint64_t seed, std::uint64_t stream);

// Writes where the tensors lie that `addresses(a, b)` names; `all`: the launch's, in their order.
void fill_addresses(const Tensor& t, const Word& word, const TensorWord& w, const std::vector<Tensor>& all);

// The shape and dtype of a file's tensor: a .npy's, or u8[3, height, width] of a picture.
struct FileShape {
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
};
FileShape shape_of_file(const Word& word, const std::string& path);

// What a file's tensor holds, as bytes(...) takes it.
std::string bytes_of_file(const std::string& path);

std::string shape_text(const std::vector<std::int64_t>& shape);  // 4 x 781

}  // namespace tl::cases
