// Proofs of a case for all of its sizes: that every access stays inside its tensor, and that no two programs store to
// one element. What is false has sizes for which `run` shows it; what no formula tells is said to be not proven.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "interp/report/terminal.h"
#include "interp/run/kernel_case.h"

namespace tl::prove {

struct Claim {
  enum class Verdict { proven, wrong, unproven } verdict;
  std::string text;                         // store, line 9: inside y
  std::string reason;                       // of one that is not proven; for which sizes it is wrong
  std::vector<std::string> counterexample;  // n=65: words of a case
};
struct Proof {
  std::vector<std::string> sizes;  // that are any
  std::vector<Claim> claims;
  bool is_wrong() const;
};
// Throws Error: built without z3, a kernel of several launches, one without a case in its file.
Proof prove_case(const run::Case& c);
nlohmann::ordered_json proof_json(const Proof&);
std::string proof_text(const Proof&, const std::string& kernel, report::Paint);

}  // namespace tl::prove
