#include "lessons/runner/parting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lessons/runner/blocks.h"
#include "lessons/runner/heads.h"
#include "lessons/runner/judgement.h"
#include "lessons/runner/numbering.h"

namespace tl::lessons {

namespace {

using trace::RecordedAccess;
using trace::RecordedProgram;
using trace::RecordedTrace;
using trace::Step;

const RecordedProgram* same_program(const RecordedTrace& trace, const RecordedProgram& p) {
  for (const RecordedProgram& other : trace.programs)
    if (other.id == p.id && other.launch == p.launch) return &other;
  return nullptr;
}

const trace::RecordedTensor& tensor_of(const RecordedTrace& trace, const RecordedProgram& p, const RecordedAccess& a) {
  return trace.launches[static_cast<std::size_t>(p.launch)].tensors[static_cast<std::size_t>(a.tensor)];
}

// What a program does that others see: which elements of a tensor it loads, and what it leaves in which.
struct Doings {
  std::map<std::string, std::map<std::int64_t, double>> of;  // "load x"; of a load the value is 0
  std::map<std::string, int> accesses;
  static std::string name(const RecordedTrace& trace, const RecordedProgram& p, const RecordedAccess& a) {
    return fmt::format("{} {}", trace::text_of(a.kind), tensor_of(trace, p, a).name);
  }
  template <class Visit>
  static void visit(const RecordedTrace& trace, const RecordedProgram& p, const RecordedAccess& a, Visit visit) {
    const DType dtype = tensor_of(trace, p, a).dtype;
    std::int64_t n = 0;
    trace::for_each_active_lane(a, [&](std::int64_t, std::int64_t e) {
      visit(e, a.writes() && a.effect ? trace::decode_element(dtype, a.effect + size_in_bytes(dtype) * n++) : 0.0);
    });
  }
  Doings(const RecordedTrace& trace, const RecordedProgram& p) {
    for (const RecordedAccess& a : p.accesses) {
      ++accesses[name(trace, p, a)];
      auto& elements = of[name(trace, p, a)];
      visit(trace, p, a, [&](std::int64_t e, double v) { elements[e] = v; });
    }
  }
};

bool is_near(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return x == y || (std::isnan(x) && std::isnan(y));
  return std::abs(x - y) <= 1e-5 * std::max(std::abs(x), std::abs(y));
}

bool mixes_lanes(trace::Op op) {
  const OpFamily family = family_of(op);
  return family == OpFamily::reduction || family == OpFamily::scan || family == OpFamily::dot;
}

class Program {
 public:
  Program(const Observed& mine, const Observed& best, const RecordedProgram& here, const RecordedProgram& there)
      : mine_(mine),
        best_(best),
        here_(here),
        there_(there),
        is_(mine.trace(), here),
        should_(best.trace(), there),
        made_by_(here.values.size(), -1),
        is_taken_(here.values.size()) {
    for (std::size_t s = 0; s < std::min(here.steps.size(), most_steps); ++s) {
      for (const std::int32_t r : here.results(here.steps[s]))
        made_by_[static_cast<std::size_t>(r)] = static_cast<int>(s);
      for (const std::int32_t o : here.operands(here.steps[s])) is_taken_[static_cast<std::size_t>(o)] = true;
    }
  }

  // The last store to an element; -1: none.
  int writer_of(const Cell& cell) const {
    int writer = -1;
    for (std::size_t s = 0; s < std::min(here_.steps.size(), most_steps); ++s)
      if (const RecordedAccess* a = access(static_cast<int>(s));
          a && a->writes() && tensor_of(mine_.trace(), here_, *a).name == cell.tensor)
        trace::for_each_active_lane(*a, [&](std::int64_t, std::int64_t e) {
          if (e == cell.element) writer = static_cast<int>(s);
        });
    return writer;
  }

  // `root`: the access to begin with; -1: the first that is another one than the solution's.
  std::optional<Parting> parting(int root = -1) {
    if (root < 0) root = other_access();
    if (root < 0 && here_.faults.empty() && is_like_the_solutions()) return std::nullopt;
    loose_ = Numbering(best_.trace(), there_, false).known(mine_.trace(), here_);
    strict_ = Numbering(best_.trace(), there_, true).known(mine_.trace(), here_);
    std::set<int> places;
    if (root >= 0) places = walk(root, loose_);
    const auto head = other_head(here_, there_);
    // What decided to go another way comes before what was made on it.
    std::set<int> decisions;
    if (places.empty() || head) decisions = of_conditions();
    places.insert(decisions.begin(), decisions.end());
    return told(places, decisions.empty() ? head : std::nullopt);
  }

 private:
  const Step& step(int s) const { return here_.steps[static_cast<std::size_t>(s)]; }
  const RecordedAccess* access(int s) const {
    return step(s).access < 0 ? nullptr : &here_.accesses[static_cast<std::size_t>(step(s).access)];
  }
  bool is_like_the_solutions() const { return is_.of == should_.of && is_.accesses == should_.accesses; }

  // The first step that touches an element which the solution's program does not, or of too few, or leaves another
  // number there; -1: none. How a program's elements are cut in accesses does not matter.
  int other_access() const {
    std::set<std::string> known;
    for (const RecordedAccess& a : there_.accesses) known.insert(access_text(best_.trace(), there_, a));
    for (std::size_t s = 0; s < std::min(here_.steps.size(), most_steps); ++s) {
      const RecordedAccess* a = access(static_cast<int>(s));
      if (!a) continue;
      const std::string name = Doings::name(mine_.trace(), here_, *a);
      const auto should = should_.of.find(name), is = is_.of.find(name);
      if (should == should_.of.end()) return static_cast<int>(s);
      const auto keys_differ = [&] {
        return !std::ranges::equal(
            is->second, should->second, {}, [](const auto& e) { return e.first; },
            [](const auto& e) { return e.first; });
      };
      if (!known.contains(access_text(mine_.trace(), here_, *a)) && keys_differ()) return static_cast<int>(s);
      bool is_other = false;
      Doings::visit(mine_.trace(), here_, *a, [&](std::int64_t e, double) {
        const auto at = should->second.find(e);
        is_other |= at == should->second.end() || !is_near(is->second.at(e), at->second);
      });
      if (is_other) return static_cast<int>(s);
    }
    return -1;
  }

  using Known = std::vector<Numbering::Known>;
  // The steps before it that make unknown values of known ones.
  std::set<int> walk(int root, const Known& known) const {
    std::set<int> seen, places;
    std::vector<int> open{root};
    while (!open.empty()) {
      const int s = open.back();
      open.pop_back();
      if (!seen.insert(s).second) continue;
      bool is_first = true;
      for (const std::int32_t o : here_.operands(step(s))) {
        const auto v = static_cast<std::size_t>(o);
        if (known[v].number != Numbering::unknown || made_by_[v] < 0) continue;
        open.push_back(made_by_[v]);
        is_first = false;
      }
      if (!is_first) continue;
      // What masked lanes hold is seen where lanes come together; what is alike by chance may be the wrong one.
      std::set<int> deeper;
      if (mixes_lanes(step(s).op) && &known == &loose_) deeper = strictly(s);
      if (deeper.empty()) {
        places.insert(s);
        deeper = made_otherwise(s, known);
      }
      places.insert(deeper.begin(), deeper.end());
    }
    return places;
  }
  std::set<int> strictly(int s) const {
    std::set<int> places = walk(s, strict_);
    places.erase(s);
    return places;
  }
  // Operands that hold what some value of the solution's holds, and were made otherwise: the ops where that began. One
  // that made what the solution's run has nowhere tells more than those that did not.
  std::set<int> made_otherwise(int s, const Known& known) const {
    std::set<int> seen, unknown, alike;
    std::vector<int> open{s};
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      if (!seen.insert(at).second) continue;
      bool is_first = true;
      for (const std::int32_t o : here_.operands(step(at))) {
        const auto v = static_cast<std::size_t>(o);
        if (made_by_[v] < 0 || known[v].is_made_alike) continue;
        open.push_back(made_by_[v]);
        is_first = false;
      }
      if (is_first && at != s) (makes_unknown(at, known) ? unknown : alike).insert(at);
    }
    return unknown.empty() ? alike : unknown;
  }
  bool makes_unknown(int s, const Known& known) const {
    return std::ranges::any_of(here_.results(step(s)), [&](std::int32_t r) {
      return known[static_cast<std::size_t>(r)].number == Numbering::unknown;
    });
  }

  // For what no op takes: conditions, bounds of loops, what was made for an access that a fault kept from happening.
  std::set<int> of_conditions() const {
    for (std::size_t s = 0; s < std::min(here_.steps.size(), most_steps); ++s)
      for (const std::int32_t r : here_.results(step(static_cast<int>(s))))
        if (const auto v = static_cast<std::size_t>(r);
            !is_taken_[v] && here_.values[v].is_kept() && strict_[v].number == Numbering::unknown)
          if (auto places = walk(static_cast<int>(s), strict_); !places.empty()) return places;
    return {};
  }

  // Where the block pointer or descriptor of an access was made, and last moved: ops on the same tensor's pointer,
  // since it is no value itself.
  std::vector<Site> tile_of(int s) const {
    const auto begins_with = [&](int other) {
      return std::ranges::any_of(here_.operands(step(other)), [&](std::int32_t o) {
        const trace::RecordedValue& v = here_.values[static_cast<std::size_t>(o)];
        return v.tensor == access(s)->tensor && v.shape.product() == 1;
      });
    };
    std::vector<Site> sites;
    if (access(s)->shape.rank == 0) return sites;
    for (int maker = s - 1; maker >= 0; --maker) {
      const trace::Op op = step(maker).op;
      const bool makes = op == trace::Op::make_block_ptr || op == trace::Op::make_tensor_descriptor;
      if ((!makes && (op != trace::Op::advance || !sites.empty())) || !begins_with(maker)) continue;
      sites.insert(sites.begin(), mine_.site(step(maker).site));
      if (makes) return sites;
    }
    return {};
  }

  std::string numbers_text(int s) const {
    if (step(s).results == 0) return "";
    const trace::RecordedValue& value = here_.values[static_cast<std::size_t>(here_.results(step(s))[0])];
    if (!value.is_kept()) return "";
    const std::int64_t lanes = value.shape.product();
    std::string text;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(lanes, 4); ++i) {
      const double v =
          value.tensor >= 0 ? static_cast<double>(trace::element_as_int(value, i)) : trace::element_as_double(value, i);
      text += (i ? " " : "") + (std::isnan(v) ? "nan" : fmt::format("{:g}", v));
    }
    return lanes == 1 ? text : fmt::format("[{}{}]", text, lanes > 4 ? " ..." : "");
  }

  std::optional<Parting> told(const std::set<int>& places, const std::optional<trace::RecordedSite>& head) const {
    Parting p;
    if (head) p.sites.push_back(mine_.site(*head));
    int first = -1;
    for (const int s : places) {
      const Site site = mine_.site(step(s).site);
      if (std::ranges::any_of(p.sites, [&](const Site& other) { return other.line == site.line; })) continue;
      if (!p.sites.empty() && std::string_view(site.file) != p.sites.front().file) continue;
      if (p.sites.size() == 2) break;
      if (first < 0) first = s;
      p.sites.push_back(site);
    }
    if (p.sites.empty()) return std::nullopt;
    if (head) {
      p.what = fmt::format(
          "in line {} the run takes another way than the solution's: other rounds, or another branch{}",
          p.sites[0].line, p.sites.size() > 1 ? fmt::format("; line {} follows from it", p.sites[1].line) : "");
      return p;
    }
    p.numbers = numbers_text(first);
    if (access(first) && p.sites.size() == 1)
      if (const std::vector<Site> tile = tile_of(first); !tile.empty()) {
        p.sites = tile;
        p.what = fmt::format("its block pointer is made in line {}{}", tile[0].line,
                             tile.size() > 1 ? fmt::format(" and moved in line {}", tile[1].line) : "");
        return p;
      }
    const std::string lines = p.sites.size() > 1 ? fmt::format("lines {} and {}", p.sites[0].line, p.sites[1].line)
                                                 : fmt::format("line {}", p.sites[0].line);
    if (!p.numbers.empty() && !access(first))
      p.what = makes_unknown(first, loose_)
                   ? fmt::format("the first numbers that the solution's run has nowhere are {}, made in {}", p.numbers,
                                 lines)
                   : fmt::format("the first numbers that are made otherwise than in the solution's run are {}, in {}",
                                 p.numbers, lines);
    else p.what = fmt::format("the first access that the solution's run has nowhere stands in {}", lines);
    return p;
  }

  const Observed &mine_, &best_;
  const RecordedProgram &here_, &there_;
  const Doings is_, should_;
  std::vector<int> made_by_;    // of each value: the step; -1: none
  std::vector<bool> is_taken_;  // by another op
  Known loose_, strict_;
};

PidCondition only(const ProgramId& id) { return PidCondition::parse(fmt::format("={},={},={}", id.x, id.y, id.z)); }

}  // namespace

std::optional<Parting> first_parting(const Trial& mine, const Trial& best, const Observed& run,
                                     const std::optional<Cell>& wrong) {
  const Observed should = observed_run(best);
  const auto in_program = [](const Observed& is, const Observed& other, const RecordedProgram& p,
                             const std::optional<Cell>& from) -> std::optional<Parting> {
    const RecordedProgram* there = same_program(other.trace(), p);
    if (!there) return std::nullopt;
    Program program(is, other, p, *there);
    const int root = from ? program.writer_of(*from) : -1;
    return from && root < 0 ? std::nullopt : program.parting(root);
  };
  const auto parted = [&](const RecordedProgram& p, const std::optional<Cell>& from) -> std::optional<Parting> {
    auto parting = in_program(run, should, p, from);
    if (!parting || p.keep == trace::Keep::values) return parting;
    // Of a later program the accesses are known: it runs once more, and its values are kept.
    const Observed is = observed_run(mine, only(p.id)), other = observed_run(best, only(p.id));
    const auto& all = is.trace().programs;
    const auto again = std::ranges::find(all, p.id, &RecordedProgram::id);
    return again == all.end() ? parting : in_program(is, other, *again, from);
  };
  const auto& programs = run.trace().programs;
  if (wrong)
    for (auto p = programs.rbegin(); p != programs.rend(); ++p)
      if (auto parting = parted(*p, wrong)) return parting;
  for (const RecordedProgram& p : programs)
    if (auto parting = parted(p, std::nullopt)) return parting;
  return std::nullopt;
}

Finding with_parting(Finding f, const Trial& mine, const Trial& best, const Observed& run,
                     const std::optional<Cell>& wrong) {
  const auto parting = first_parting(mine, best, run, wrong);
  if (!parting) return f;
  const Site& site = parting->sites.front();
  if (f.line == 0 && std::string_view(site.file).find('/') == std::string_view::npos) f = at(f, site);
  if (f.line == site.line && parting->sites.size() == 1) return f;
  if (f.fix.starts_with("step through this run"))
    f.fix = fmt::format("step through this run to line {}: are these the numbers that you want there?", site.line);
  f.detail += (f.detail.empty() || f.detail.ends_with('\n') ? "" : "\n") + parting->what;
  return f;
}

}  // namespace tl::lessons
