// The strategies to compile a launch, the fastest first. The compiler's answer to one decides which is tried next, by
// the table in attempts.cpp.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/cuda/host/expression.h"
#include "interp/cuda/host/log.h"
#include "interp/cuda/host/nvrtc_api.h"
#include "interp/cuda/host/reports.h"
#include "interp/cuda/host/ring_fit.h"

namespace tl::cuda {

// What device/ says where a variable is assigned a value that the type of its first value cannot hold.
inline constexpr const char* gives_up_types = "assignment gives up what was known of";

// 90 for sm_90a; 0 for a name of no chip.
int number_of(const std::string& arch);

// What to compile.
struct Request {
  const Nvrtc& api;
  const Launch& launch;
  const rules::KernelFacts& facts;
  const Target& target;
  Sources sources;
  std::string text;  // of the unit that includes the kernel

  bool is_hopper() const { return target.arch == "sm_90a" && !target.generic; }
  std::vector<std::string> options() const;  // of NVRTC
};

// How to compile it.
struct Strategy {
  rules::Config config;
  rules::Build build;  // but for what follows from `config`

  bool has_roles() const { return cuda::has_roles(config); }
  void take_one_role() { config = in_one_role(config); }
  std::string build_text() const;
  Sources sources(const Request& request) const;  // with that text
};

class Attempts {
 public:
  Attempts(const Request& request, Strategy strategy)
      : request_(request), strategy_(std::move(strategy)), roles_(roles()) {}

  // Equal keys give equal results; their messages name the launch's tensors.
  std::string key() const { return recipe() + roles_; }
  // Throws CompileError when the compiler refuses every strategy; `notes` says what was given up, and where.
  Compiled compile_best(std::vector<std::string>& notes);

 private:
  struct Step;
  static std::span<const Step> table();

  bool is_refused() const { return made_.cubin.empty(); }
  bool says(const char* words) const { return made_.log.find(words) != std::string::npos; }
  CompileError refusal() const { return compile_error(made_.log, request_.launch.source, request_.sources); }
  std::string refusal_text() const;
  Rings rings() const { return read_rings(made_.ptx); }
  RingFit fit() const;
  bool has_room_for_two() const;
  bool lacks_registers() const;
  std::string roles() const;
  std::string recipe() const;
  Compiled compile() const;

  const Request& request_;
  Strategy strategy_;
  std::string roles_;  // Compiled::roles
  Compiled made_;
  std::vector<std::pair<std::string, std::string>> refused_;  // recipes and logs
};

}  // namespace tl::cuda
