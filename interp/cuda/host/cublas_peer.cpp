#include "interp/cuda/host/cublas_peer.h"

#include <algorithm>
#include <optional>
#include <random>

#include "interp/cuda/host/library.h"

namespace tl::cuda {

namespace {

using cublasHandle_t = struct cublasContext*;
using cublasStatus_t = int;
enum cudaDataType : int { CUDA_R_32F = 0, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasComputeType_t : int { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };
constexpr int CUBLAS_GEMM_DEFAULT = -1;

struct Cublas {
  cublasStatus_t (*cublasCreate)(cublasHandle_t*) = nullptr;
  cublasStatus_t (*cublasDestroy)(cublasHandle_t) = nullptr;
  cublasStatus_t (*cublasSetStream)(cublasHandle_t, CUstream) = nullptr;
  cublasStatus_t (*cublasGetVersion)(cublasHandle_t, int*) = nullptr;
  cublasStatus_t (*cublasGemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                                 const void* alpha, const void* a, cudaDataType, int lda, const void* b, cudaDataType,
                                 int ldb, const void* beta, void* c, cudaDataType, int ldc, cublasComputeType_t,
                                 int algorithm) = nullptr;
};

std::optional<Cublas> load_cublas() {
  // cuBLAS needs cublasLt from the same folder, which the loader does not search by itself.
  Library::open(library_candidates("TILESCOPE_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"}));
  const auto library = Library::open(library_candidates("TILESCOPE_CUBLAS", {"libcublas.so.13", "libcublas.so.12"}));
  if (!library) return std::nullopt;
  Cublas api;
  library->find(api.cublasCreate, "cublasCreate_v2");
  library->find(api.cublasDestroy, "cublasDestroy_v2");
  library->find(api.cublasSetStream, "cublasSetStream_v2");
  library->find(api.cublasGetVersion, "cublasGetVersion_v2");
  library->find(api.cublasGemmEx, "cublasGemmEx");
  if (!api.cublasCreate || !api.cublasDestroy || !api.cublasSetStream || !api.cublasGetVersion || !api.cublasGemmEx)
    return std::nullopt;
  return api;
}

const Cublas& cublas() {
  static const auto api = load_cublas();
  if (!api)
    throw Error("no cuBLAS beside the kernel: libcublas.so was not found",
                "install it with the CUDA toolkit and set CUDA_HOME");
  return *api;
}

void check(cublasStatus_t status, const std::string& what) {
  if (status != 0)
    throw Error("cuBLAS failed at " + what + " (status " + std::to_string(status) + ")",
                "choose smaller sizes, or bench without the peer");
}

cudaDataType cublas_type(DType dtype) {
  switch (dtype) {
    case DType::float16: return CUDA_R_16F;
    case DType::bfloat16: return CUDA_R_16BF;
    case DType::float32: return CUDA_R_32F;
    default:
      throw Error(std::string("cuBLAS's gemm has no ") + name_of(dtype), "choose f16, bf16 or f32 to have a peer");
  }
}

int to_int(std::int64_t size) {
  if (size < 1 || size > 2147483647)
    throw Error("cuBLAS's gemm takes no size of " + std::to_string(size), "choose sizes from 1 to 2147483647");
  return static_cast<int>(size);
}

}  // namespace

Memory random_memory(const Gpu& gpu, DType dtype, std::int64_t elems, unsigned seed, const std::string& what) {
  // A chunk of random values, repeated; its length shares no factor with a matrix's rows.
  const std::int64_t chunk_elems = std::min<std::int64_t>(elems, 1048573);
  Tensor chunk = make_tensor(what, dtype, {chunk_elems});
  std::minstd_rand random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::int64_t i = 0; i < chunk_elems; ++i)
    set(chunk, i, is_float(dtype) ? uniform(random) : static_cast<double>(random() % 256));
  Memory memory(gpu, elems * size_in_bytes(dtype), what);
  const auto total = static_cast<std::size_t>(elems * size_in_bytes(dtype));
  auto filled = static_cast<std::size_t>(chunk.storage_bytes());
  gpu.check(gpu.api.cuMemcpyHtoD(memory.address(), chunk.data(), filled), "filling " + what);
  gpu.check(gpu.api.cuCtxSynchronize(),
            "filling " + what);  // the stream does not wait for the default stream that copied
  for (; filled < total; filled += std::min(filled, total - filled))
    gpu.check(gpu.api.cuMemcpyDtoDAsync(memory.address() + filled, memory.address(), std::min(filled, total - filled),
                                        gpu.stream),
              "filling " + what);
  gpu.wait("filling " + what);
  return memory;
}

CublasGemm::CublasGemm(const Gpu& gpu, const GemmPeer& shape) : gpu_(gpu), shape_(shape) {
  cublas_type(shape.in);
  cublas_type(shape.out);
  to_int(shape.m);
  to_int(shape.n);
  to_int(shape.k);
  const Cublas& api = cublas();
  a_ = random_memory(gpu, shape.in, shape.m * shape.k, 1, "cuBLAS's A");
  b_ = random_memory(gpu, shape.in, shape.k * shape.n, 2, "cuBLAS's B");
  c_ = Memory(gpu, shape.m * shape.n * size_in_bytes(shape.out), "cuBLAS's C");
  check(api.cublasCreate(&handle_), "its start");
  check(api.cublasSetStream(handle_, gpu.stream), "its start");
}

CublasGemm::~CublasGemm() {
  if (handle_ && !gpu_.abandoned) cublas().cublasDestroy(handle_);
}

void CublasGemm::start() const {
  // cuBLAS counts columns first: its C^T[n, m] = B^T[n, k] A^T[k, m] is our row-major C.
  const int m = to_int(shape_.m), n = to_int(shape_.n), k = to_int(shape_.k);
  const float one = 1, zero = 0;
  const auto compute = shape_.in == DType::float32 && !shape_.ieee ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const auto pointer = [](const Memory& memory) { return reinterpret_cast<void*>(memory.address()); };
  check(cublas().cublasGemmEx(handle_, shape_.b_is_nk ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                              pointer(b_), cublas_type(shape_.in), shape_.b_is_nk ? k : n, pointer(a_),
                              cublas_type(shape_.in), k, &zero, pointer(c_), cublas_type(shape_.out), n, compute,
                              CUBLAS_GEMM_DEFAULT),
        "the product");
}

std::string CublasGemm::name() const {
  int version = 0;
  cublas().cublasGetVersion(handle_, &version);  // 130100
  return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

}  // namespace tl::cuda
