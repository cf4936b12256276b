// Compiles a launch's kernel for one chip with NVRTC, through a cache on disk. Needs the CUDA toolkit, no GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interp/lang/launch.h"
#include "interp/rules/kernel_facts.h"

namespace tl::cuda {

struct Target {
  std::string arch = "sm_90a";  // sm_80 and up; `a`: with the chip's own instructions
  bool generic = false;         // nothing newer than sm_80, to test that path on a newer chip
  bool fused_multiply_add = true;
  bool prints = false;    // tl.print_if and its like leave what they print in the host's memory
  bool timeline = false;  // the kernel records when and where its programs run: interp/lang/timeline.h
};

// What one program takes of the chip, as ptxas reports it.
struct Resources {
  int registers = 0;  // a thread
  int stack_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0;
  int static_shared_bytes = 0, dynamic_shared_bytes = 0;
  int threads = 0;
  bool is_plain = false;              // compiled without formulas: rules/config.h
  bool is_affine_only = false;        // compiled without other formulas than affine ones
  int num_stages = 0;                 // turns whose tiles are loaded ahead, where warps have roles
  bool has_roles = false;             // some warps copy tiles ahead of those that multiply them
  std::vector<std::string> warnings;  // ptxas's: (C7510) Potential Performance Loss ...
};

struct Compiled {
  std::string kernel, arch;
  std::string entry;  // the mangled name
  std::string cubin, ptx, log;
  Resources resources;
  bool from_cache = false;
  double compile_ms = 0;
  bool tensor_maps = false;        // descriptors are passed as tensor maps, where their tensors allow it
  bool uses_wgmma = false;         // whole warpgroups multiply
  std::string roles;               // "roles: 4 warps copy tiles of a and b, ahead of ...", or why there is one role
  std::vector<std::string> notes;  // a tensor that TMA cannot take, and why; `roles` where it is a loss
};

// False when NVRTC or CUDA's headers are missing; `why_not` then says so.
bool toolkit_available(std::string* why_not = nullptr);
std::string toolkit_version();  // 13.0; throws Unavailable, with the fix, when something is missing
// 90 for sm_90a. Throws Error for an architecture that this toolkit does not know, or that is too old for the kernels.
int require_arch(const std::string& arch);

// Finds what a launch's kernel does: cpu::facts_of. This folder knows no executor.
using FactsOf = std::function<rules::KernelFacts(const Launch&)>;

// `facts` are the launch's own: which way it is compiled follows from them. Throws Error: no toolkit, an arch that is
// unknown or below sm_80; CompileError: the compiler's words at the line of the kernel's text.
std::shared_ptr<const Compiled> compile(const Launch& launch, const rules::KernelFacts& facts,
                                        const Target& target = {});

// Whether CUDA's compiler takes the kernel's text, by its front end alone: a third of the time of `compile`, no code is
// made. Throws as `compile` does.
void check_text(const Launch& launch);

// The power of two, 16 at most, that a kernel is compiled to know an int argument of this value as a multiple of.
int known_divisibility(std::int64_t value);

// The machine code as text, by nvdisasm or cuobjdump. Throws Error when neither is there.
std::string disassemble(const Compiled& compiled);

}  // namespace tl::cuda
