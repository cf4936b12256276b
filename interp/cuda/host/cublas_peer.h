// cuBLAS beside a kernel: loaded when there, fed with random tensors of its own.
#pragma once

#include <string>
#include <vector>

#include "interp/cuda/host/bench.h"
#include "interp/cuda/host/gpu.h"

namespace tl::cuda {

class CublasGemm {
 public:
  // Throws Error when cuBLAS is missing or has no such product.
  CublasGemm(const Gpu& gpu, const GemmPeer& shape);
  CublasGemm(const CublasGemm&) = delete;
  CublasGemm& operator=(const CublasGemm&) = delete;
  ~CublasGemm();

  void start() const;
  std::string name() const;  // cuBLAS 13.1
  // Device copies of A[m, k], B as it is stored, C[m, n].
  CUdeviceptr a() const { return a_.address(); }
  CUdeviceptr b() const { return b_.address(); }
  CUdeviceptr c() const { return c_.address(); }

 private:
  const Gpu& gpu_;
  GemmPeer shape_;
  Memory a_, b_, c_;
  struct cublasContext* handle_ = nullptr;
};

// Device memory filled with floats in [-1, 1], or bytes of every value: zeros would make a matrix product faster than
// it is.
Memory random_memory(const Gpu& gpu, DType dtype, std::int64_t elems, unsigned seed, const std::string& what);

}  // namespace tl::cuda
