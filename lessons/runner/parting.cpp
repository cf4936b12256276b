#include "lessons/runner/parting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "interp/lang/text.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/numbering.h"

namespace tl::lessons {

namespace {

using trace::RecordedAccess;
using trace::RecordedProgram;
using trace::RecordedTrace;
using trace::Step;

const RecordedProgram* same_program(const RecordedTrace& trace, const RecordedProgram& p) {
  for (const RecordedProgram& other : trace.programs)
    if (other.id == p.id && other.launch == p.launch && other.keep == trace::Keep::values) return &other;
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
  Program(const Observed& mine, const Observed& best, const RecordedProgram& here, const RecordedProgram& there,
          const std::string& text)
      : mine_(mine),
        best_(best),
        here_(here),
        there_(there),
        text_(text),
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

  std::optional<Parting> parting() {
    const int root = other_access();
    if (root < 0 && here_.faults.empty() && is_like_the_solutions()) return std::nullopt;
    loose_ = Numbering(best_.trace(), there_, false).known(mine_.trace(), here_);
    strict_ = Numbering(best_.trace(), there_, true).known(mine_.trace(), here_);
    std::set<int> places;
    if (root >= 0) places = walk(root, loose_);
    if (places.empty()) places = of_conditions();
    if (places.empty() && root < 0) return rounds();
    return told(places);
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
        deeper = alike_by_chance(s, known);
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
  std::set<int> alike_by_chance(int s, const Known& known) const {
    std::set<int> places;
    for (const std::int32_t o : here_.operands(step(s))) {
      const auto v = static_cast<std::size_t>(o);
      if (made_by_[v] < 0 || known[v].is_made_alike) continue;
      bool all_alike = true;
      for (const std::int32_t of : here_.operands(step(made_by_[v])))
        all_alike &= known[static_cast<std::size_t>(of)].is_made_alike;
      if (all_alike) places.insert(made_by_[v]);
    }
    return places;
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

  // A loop that ends elsewhere: the head above the last access of the kind whose number differs.
  std::optional<Parting> rounds() const {
    for (auto s = here_.steps.rbegin(); s != here_.steps.rend(); ++s) {
      if (s->access < 0) continue;
      const std::string name = Doings::name(mine_.trace(), here_, here_.accesses[static_cast<std::size_t>(s->access)]);
      const auto should = should_.accesses.find(name);
      if (should != should_.accesses.end() && should->second == is_.accesses.at(name)) continue;
      Site site = mine_.site(s->site);
      site.line = head_above(site.line);
      if (site.line == 0) return std::nullopt;
      return Parting{{site},
                     fmt::format("in line {} the run takes another way than the solution's: other rounds, or another "
                                 "branch",
                                 site.line),
                     ""};
    }
    return std::nullopt;
  }
  int head_above(int line) const {
    const std::vector<std::string> lines = lines_of(text_);
    if (line < 1 || line > std::ssize(lines)) return 0;
    const auto indent = [&](int l) { return lines[static_cast<std::size_t>(l - 1)].find_first_not_of(' '); };
    for (int l = line - 1; l > 0; --l)
      if (indent(l) < indent(line)) {
        const std::string head = lines[static_cast<std::size_t>(l - 1)].substr(indent(l));
        if (head.starts_with("for") || head.starts_with("while") || head.starts_with("if")) return l;
        if (indent(l) == 0) return 0;
      }
    return 0;
  }

  // Where the block pointer or descriptor of an access was made, which is no value: by its name in the text.
  std::optional<Site> tile_of(int s) const {
    for (const std::int32_t o : here_.operands(step(s)))
      if (here_.values[static_cast<std::size_t>(o)].tensor >= 0) return std::nullopt;
    const std::vector<std::string> lines = lines_of(text_);
    Site site = mine_.site(step(s).site);
    if (site.line < 1 || site.line > std::ssize(lines)) return std::nullopt;
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const std::string_view line = lines[static_cast<std::size_t>(site.line - 1)];
    for (int l = site.line - 1; l > 0; --l) {
      const std::string_view maker = lines[static_cast<std::size_t>(l - 1)];
      const std::size_t call = std::min(maker.find("make_block_ptr("), maker.find("make_tensor_descriptor("));
      if (call == std::string_view::npos) continue;
      std::size_t end = maker.find('=');
      while (end > 0 && end < call && maker[end - 1] == ' ') --end;
      std::size_t begin = std::min(end, call);
      while (begin > 0 && is_letter(maker[begin - 1])) --begin;
      const std::string_view name = maker.substr(begin, end - begin);
      const std::size_t at = name.empty() ? std::string_view::npos : line.find(name);
      if (at == std::string_view::npos || (at > 0 && is_letter(line[at - 1]))) continue;
      if (at + name.size() < line.size() && is_letter(line[at + name.size()])) continue;
      site.line = l;
      site.column = 0;
      return site;
    }
    return std::nullopt;
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

  std::optional<Parting> told(const std::set<int>& places) const {
    Parting p;
    int first = -1;
    for (const int s : places) {
      const Site site = mine_.site(step(s).site);
      if (std::ranges::any_of(p.sites, [&](const Site& other) { return other.line == site.line; })) continue;
      if (!p.sites.empty() && std::string_view(site.file) != p.sites.front().file) continue;
      if (p.sites.size() == 2) break;
      if (p.sites.empty()) first = s;
      p.sites.push_back(site);
    }
    if (p.sites.empty()) return std::nullopt;
    p.numbers = numbers_text(first);
    if (access(first) && p.sites.size() == 1)
      if (const auto tile = tile_of(first)) p.sites.insert(p.sites.begin(), *tile);
    const std::string and_line = p.sites.size() > 1 ? fmt::format(" and {}", p.sites[1].line) : "";
    if (!p.numbers.empty() && !access(first))
      p.what = fmt::format("the first numbers that the solution's run has nowhere are {}, made in line{} {}{}",
                           p.numbers, and_line.empty() ? "" : "s", p.sites[0].line, and_line);
    else
      p.what = fmt::format("the first access that the solution's run has nowhere stands in line{} {}{}",
                           and_line.empty() ? "" : "s", p.sites[0].line, and_line);
    return p;
  }

  const Observed &mine_, &best_;
  const RecordedProgram &here_, &there_;
  const std::string& text_;
  const Doings is_, should_;
  std::vector<int> made_by_;    // of each value: the step; -1: none
  std::vector<bool> is_taken_;  // by another op
  Known loose_, strict_;
};

}  // namespace

std::optional<Parting> first_parting(const Observed& mine, const Observed& best, const std::string& text) {
  for (const RecordedProgram& p : mine.trace().programs)
    if (const RecordedProgram* there = same_program(best.trace(), p); there && p.keep == trace::Keep::values)
      if (auto parting = Program(mine, best, p, *there, text).parting()) return parting;
  return std::nullopt;
}

Finding with_parting(Finding f, const Observed& mine, const Observed& best, const std::string& text) {
  const auto parting = first_parting(mine, best, text);
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
