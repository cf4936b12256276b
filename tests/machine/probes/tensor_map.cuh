// A tensor map over a matrix of 16-bit elements, in C order: what a box of it is, and how many bytes L2 fetches at a
// miss.
#pragma once

#include <cuda.h>

#include "probe.cuh"

inline CUtensorMap map_of(void* data, int columns, int rows, int box_columns, int box_rows, CUtensorMapSwizzle swizzle,
                          CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  const cuuint64_t sizes[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {cuuint64_t(columns) * 2};
  const cuuint32_t box[] = {cuuint32_t(box_columns), cuuint32_t(box_rows)}, step[] = {1, 1};
  CUtensorMap m;
  if (reinterpret_cast<Encode>(entry)(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, sizes, pitch, box, step,
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion,
                                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    std::fprintf(stderr, "the tensor map was refused\n"), std::exit(1);
  return m;
}
