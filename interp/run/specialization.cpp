#include "interp/run/specialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/cuda/host/sources.h"
#include "interp/lang/text.h"
#include "interp/report/numbers.h"
#include "interp/text/model.h"

namespace tl::run {

using namespace report;

namespace {

// The functor's, as its text has them; numbers where that has fewer.
std::vector<std::string> parameter_names(const Launch& launch) {
  std::vector<std::string> names;
  const cuda::KernelSource source = cuda::source_of(launch);
  const text::Model model(source.file, source.texts.at(source.file));
  for (const text::Function& f : model.functions())
    if (f.is_functor && f.name == short_name(source.functor))
      for (const text::Parameter& p : f.parameters) names.push_back(p.name);
  while (names.size() < launch.arguments.size()) names.push_back(fmt::format("argument {}", names.size() + 1));
  return names;
}

Specialization::Code code_of(const cuda::Compiled& c) {
  Specialization::Code code{c.resources.registers, 0};
  for (const std::string& line : lines_of(c.ptx))
    for (const char* access : {"ld.global", "st.global", "red.global", "atom.global", ".shared.global"})
      if (line.find(access) != std::string::npos) {
        ++code.accesses;
        break;
      }
  return code;
}

// Odd, and not 1.
void forget(IntArgument& a) { a.value = a.value == 1 ? 3 : a.value | 1; }

}  // namespace

std::optional<Specialization> specialization_of(const Launch& launch, const rules::KernelFacts& facts,
                                                const cuda::Compiled& compiled, const cuda::Target& target) {
  Specialization s;
  const std::vector<std::string> names = parameter_names(launch);
  Launch general = launch;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    auto* const a = std::get_if<IntArgument>(&general.arguments[i]);
    if (!a) continue;
    if (a->value == 1) s.ones.push_back(names[i]);
    else if (const int by = cuda::known_divisibility(a->value); by > 1) s.divisible[by].push_back(names[i]);
    forget(*a);
  }
  if (s.ones.empty() && s.divisible.empty()) return std::nullopt;
  s.known = code_of(compiled);
  s.unknown = code_of(*cuda::compile(general, facts, target));
  return s;
}

std::string specialization_text(const Specialization& s) {
  std::vector<std::string> known;
  for (const auto& [by, names] : s.divisible)
    known.push_back(fmt::format("{} {} of {}{}", fmt::join(names, ", "),
                                names.size() == 1 ? "is a multiple" : "are multiples", by,
                                by == 16 ? " (tt.divisibility)" : ""));
  if (!s.ones.empty())
    known.push_back(fmt::format("{} {} 1 (tt.equal_to)", fmt::join(s.ones, ", "), s.ones.size() == 1 ? "is" : "are"));
  return fmt::format(
      "compiled for these values: {}. Not knowing them a thread would take {} registers (it takes {}), and {} would "
      "access "
      "global memory ({} do)",
      fmt::join(known, "; "), s.unknown.registers, s.known.registers, plural(s.unknown.accesses, "instruction"),
      s.known.accesses);
}

nlohmann::ordered_json specialization_json(const Specialization& s) {
  const auto code = [](const Specialization::Code& c) {
    return nlohmann::ordered_json{{"registers", c.registers}, {"global_accesses", c.accesses}};
  };
  nlohmann::ordered_json divisible = nlohmann::ordered_json::object();
  for (const auto& [by, names] : s.divisible) divisible[std::to_string(by)] = names;
  return {{"divisible_by", divisible}, {"equal_to_1", s.ones}, {"with", code(s.known)}, {"without", code(s.unknown)}};
}

}  // namespace tl::run
