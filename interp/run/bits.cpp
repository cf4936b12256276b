#include "interp/run/bits.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "interp/cuda/host/sources.h"
#include "interp/lang/op.h"
#include "interp/report/numbers.h"
#include "interp/text/lexer.h"

namespace tl::run {

namespace {

using namespace report;

// What the kernel's text and what it includes call as a member: tl.exp2.
std::set<std::string> called_by(const Launch& launch) {
  std::set<std::string> names;
  for (const auto& [file, source] : cuda::gather_sources({launch.source})) {
    if (file.starts_with("interp/")) continue;
    const auto tokens = text::lex(source);
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i)
      if (tokens[i - 1].is(".") && tokens[i + 1].is("(")) names.insert(std::string(tokens[i].text));
  }
  return names;
}

bool has_ulps(const std::string& name) {
  static const std::set<std::string> exact{"floor", "ceil", "sqrt", "sqrt_rn", "rint", "round", "trunc"};
  const auto op = op_of(name);
  return op == Op::softmax || (op && family_of(*op) == OpFamily::math && !exact.contains(name));
}

std::vector<std::string> reasons(const std::vector<Launch>& launches, const Arithmetic& arithmetic,
                                 const std::string& arch) {
  std::vector<std::string> why;
  if (arithmetic.arch().empty()) why.push_back("--arith fp32 adds plainly, the chip does not");
  else if (arithmetic.arch() != arch)
    why.push_back(fmt::format("the GPU is {}, the chip that the interpreter follows {}", arch, arithmetic.arch()));
  std::set<std::string> names;
  for (const Launch& l : launches) names.merge(called_by(l));
  std::string within;
  for (const std::string& name : names)
    if (has_ulps(name)) within += (within.empty() ? "tl." : ", tl.") + name;
  if (!within.empty()) why.push_back(within + ": within stated ulps, not to the bit");
  if (names.contains("atomic_add")) why.push_back("tl.atomic_add: programs add in no fixed order");
  if (names.contains("reduce") || names.contains("associative_scan"))
    why.push_back("tl.reduce, tl.associative_scan: the interpreter combines in an order of its own");
  why.push_back("CUDA rounds a * b + c once where it can");
  return why;
}

}  // namespace

BitEquality bit_equality(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                         const std::vector<Launch>& launches, const Arithmetic& arithmetic, const std::string& arch) {
  BitEquality bits;
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::int64_t i = 0; i < a[t].elems(); ++i) {
      const double x = get(a[t], i), y = get(b[t], i), d = std::abs(x - y);
      ++bits.all;
      if ((x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y))) ++bits.equal;
      else if (!(d <= bits.most)) bits.most = d;
    }
  if (bits.equal < bits.all) bits.why = reasons(launches, arithmetic, arch);
  return bits;
}

std::string bit_equality_text(const BitEquality& bits) {
  if (bits.equal == bits.all) return fmt::format("bit-equal: all {}", count_text(bits.all));
  return fmt::format("bit-equal: {} of {} ({}), the others differ by at most {}; what may set them apart:\n    {}",
                     count_text(bits.equal), count_text(bits.all),
                     percent_text(static_cast<double>(bits.equal) / static_cast<double>(bits.all), 2),
                     error_text(bits.most), fmt::join(bits.why, "\n    "));
}

}  // namespace tl::run
