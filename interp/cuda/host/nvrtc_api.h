// The functions of NVRTC that we call, by their original names, and where CUDA's headers lie.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "interp/lang/error.h"

namespace tl::cuda {

using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram*;
inline constexpr nvrtcResult NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6;

struct Nvrtc {
  nvrtcResult (*nvrtcVersion)(int* major, int* minor);
  const char* (*nvrtcGetErrorString)(nvrtcResult);
  nvrtcResult (*nvrtcGetNumSupportedArchs)(int* count);
  nvrtcResult (*nvrtcGetSupportedArchs)(int* archs);
  nvrtcResult (*nvrtcCreateProgram)(nvrtcProgram*, const char* text, const char* name, int headers,
                                    const char* const* header_texts, const char* const* header_names);
  nvrtcResult (*nvrtcDestroyProgram)(nvrtcProgram*);
  nvrtcResult (*nvrtcAddNameExpression)(nvrtcProgram, const char*);
  nvrtcResult (*nvrtcCompileProgram)(nvrtcProgram, int options, const char* const*);
  nvrtcResult (*nvrtcGetProgramLogSize)(nvrtcProgram, std::size_t*);
  nvrtcResult (*nvrtcGetProgramLog)(nvrtcProgram, char*);
  nvrtcResult (*nvrtcGetLoweredName)(nvrtcProgram, const char* expression, const char** mangled);
  nvrtcResult (*nvrtcGetPTXSize)(nvrtcProgram, std::size_t*);
  nvrtcResult (*nvrtcGetPTX)(nvrtcProgram, char*);
  nvrtcResult (*nvrtcGetCUBINSize)(nvrtcProgram, std::size_t*);
  nvrtcResult (*nvrtcGetCUBIN)(nvrtcProgram, char*);

  int major = 0, minor = 0;
  std::vector<std::string> include_folders;  // of cuda_fp16.h, cuda/ptx and cuda/std
};

// Null when it is missing; `why_not` then says what. Opened once; TILESCOPE_NVRTC names the library.
const Nvrtc* nvrtc(std::optional<Error>* why_not = nullptr);

// Identifies the NVRTC that would be opened, by where it is looked for and the files that are there. Opens nothing,
// which would take 15 ms.
std::string nvrtc_fingerprint();

}  // namespace tl::cuda
