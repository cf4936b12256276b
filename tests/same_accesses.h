// Two access records of one launch, however cut into segments, make the same accesses.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "interp/trace/access_record.h"

namespace tl::testing {

struct Made {
  const trace::AccessPattern* pattern;
  std::int64_t base;
};

inline std::vector<Made> made_by(const trace::AccessRecord& r, std::size_t program) {
  std::vector<Made> all;
  trace::for_each_access(r, r.programs[program],
                         [&](const trace::AccessPattern& p, std::int64_t base) { all.push_back({&p, base}); });
  return all;
}

// Places: whether they stand at the same one of a text.
enum class Places { alike, any };
inline bool same(const trace::AccessPattern& a, const trace::AccessPattern& b, Places places) {
  const bool is_there = places == Places::any || (a.site.line == b.site.line && a.site.column == b.site.column);
  return is_there && a.route == b.route && trace::same_but_for_place(a, b);
}

// "" where they agree, else the first difference.
inline std::string difference(const trace::AccessRecord& a, const trace::AccessRecord& b,
                              Places places = Places::alike) {
  if (a.programs.size() != b.programs.size())
    return "programs: " + std::to_string(a.programs.size()) + " and " + std::to_string(b.programs.size());
  for (std::size_t p = 0; p < a.programs.size(); ++p) {
    const std::string where = "program " + std::to_string(p) + ": ";
    if (!(a.programs[p].id == b.programs[p].id)) return where + "its id";
    const auto x = made_by(a, p), y = made_by(b, p);
    if (x.size() != y.size()) return where + std::to_string(x.size()) + " accesses and " + std::to_string(y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!same(*x[i].pattern, *y[i].pattern, places))
        return where + "pattern of access " + std::to_string(i) + ", line " + std::to_string(x[i].pattern->site.line);
      if (x[i].base != y[i].base)
        return where + "access " + std::to_string(i) + " at " + std::to_string(x[i].base) + " and " +
               std::to_string(y[i].base);
    }
  }
  return "";
}

}  // namespace tl::testing
