#include "interp/case/guessed_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/case/file_case.h"
#include "interp/case/pointer_sums.h"
#include "interp/case/python_accesses.h"
#include "interp/triton/program.h"

namespace tl::cases {

namespace {

constexpr int block = 16, programs = 4;

bool has(const IndexSources& sources, const std::string& kind) {
  return std::ranges::any_of(sources, [&](const std::string& s) { return s.starts_with(kind); });
}
// 0, of "program 0"; BLOCK, of "arange BLOCK".
std::string name_in(const std::string& source) { return source.substr(source.find(' ') + 1); }

std::string product(const Factors& factors) {
  return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, " * "));
}

class Guess {
 public:
  Guess(triton::Program& program, const triton::Definition& kernel, const FileCase& of)
      : case_(of), accesses_(accesses_of(program, kernel)) {
    for (const Parameter& p : of.functor().parameters) {
      kinds_[p.name] = p.kind;
      if (p.kind != 'c' && (p.is_accessed || p.name.ends_with("ptr") || p.name.ends_with("pointer")))
        pointers_.insert(p.name);
    }
    sums_ = pointer_sums_of(program, kernel, pointers_);
  }

  GuessedCase make() {
    std::vector<std::string> counts;
    for (int axis = 0; axis < sums_.axes; ++axis) counts.push_back(product(programs_of(axis)));
    out_.words["grid"] = fmt::format("{}", fmt::join(counts, ", "));
    for (const std::string_view p : pointers_) set_strides(std::string(p));
    for (const Parameter& p : case_.functor().parameters) {
      if (pointers_.contains(p.name) || sums_.descriptors.contains(p.name)) set_tensor(p);
      else if (!out_.words.contains(word(p.name))) set_number(p);
    }
    for (const problems::Setting& s : case_.settings())
      if (s.default_value.find(" is not None") != std::string::npos) out_.words[s.name] = "false";  // of @heuristics
    return std::move(out_);
  }

 private:
  std::string word(const std::string& name) const { return kinds_.contains(name) ? case_.canonical(name) : name; }
  void set(const std::string& parameter, std::string value) { out_.words.emplace(word(parameter), std::move(value)); }

  // A parameter that an index stays below.
  std::string limit_of(const IndexSources& sources) const {
    for (const Bound& b : sums_.bounds)
      if (b.sources == sources) return b.limit;
    return "";
  }
  bool is_limit(const std::string& name) const {
    const auto says = [&](const Term& t) { return std::ranges::count(t.extent, name) > 0; };
    return std::ranges::any_of(sums_.bounds, [&](const Bound& b) { return b.limit == name; }) ||
           std::ranges::any_of(sums_.terms, [&](const auto& of) { return std::ranges::any_of(of.second, says); });
  }
  // The distance between rows, rather than a size.
  bool is_stride(const std::string& factor) const {
    const auto kind = kinds_.find(factor);
    const bool says_so = factor.find("stride") != std::string::npos;
    return kind != kinds_.end() && !pointers_.contains(factor) && !sums_.blocks.contains(factor) &&
           (says_so ||
            (kind->second != 'c' && !is_limit(factor) && !is_divisor(factor) && !sums_.counted.contains(factor)));
  }
  bool is_divisor(const std::string& name) const {
    return std::ranges::any_of(sums_.divisors, [&](const auto& of) { return of.second.contains(name); });
  }

  bool is_bounded(const Term& t) const { return !t.extent.empty() || !limit_of(t.sources).empty(); }
  Factors extent(const Term& term) const {
    Factors all;
    if (!term.extent.empty()) {
      for (const std::string& factor : term.extent) all.push_back(word(factor));
      return all;
    }
    if (const std::string limit = limit_of(term.sources); !limit.empty()) return {word(limit)};
    for (const std::string& source : term.sources) {
      const std::string limit = limit_of({source});
      if (!limit.empty() && std::ranges::count(all, word(limit))) continue;
      if (!limit.empty()) all.push_back(word(limit));
      else if (source.starts_with("arange ")) all.push_back(word(name_in(source)));
      else if (source.starts_with("program "))
        std::ranges::copy(programs_of(std::stoi(name_in(source))), std::back_inserter(all));
      else all.push_back(std::to_string(programs));
    }
    return all;
  }

  // Programs along an axis: one a block of an index, or one a row, or some.
  Factors programs_of(int axis) const {
    if (const auto step = sums_.grid.find(axis); step != sums_.grid.end()) return {word(step->second)};
    const std::string program = "program " + std::to_string(axis);
    std::set<std::string> counts;
    const auto add = [&](const IndexSources& sources, const std::string& limit, bool needs_block) {
      if (limit.empty() || !sources.contains(program) || has(sources, "loop ") || has(sources, "loaded ")) return;
      std::string count = needs_block ? "" : word(limit);
      for (const std::string& s : sources)
        if (s.starts_with("arange ")) count = fmt::format("cdiv({}, {})", word(limit), word(name_in(s)));
      if (!count.empty()) counts.insert(count);
    };
    for (const Bound& b : sums_.bounds) add(b.sources, b.limit, false);
    for (const auto& [pointer, terms] : sums_.terms)
      for (const Term& t : terms)
        if (t.extent.size() == 1) add(t.sources, t.extent[0], true);
    if (counts.empty())
      if (const auto divisors = sums_.divisors.find(axis); divisors != sums_.divisors.end())
        for (const std::string& d : divisors->second) counts.insert(word(d));
    return counts.empty() ? Factors{std::to_string(programs)} : Factors(counts.begin(), counts.end());
  }

  // The axes of a tensor by their strides: the outermost first, as the parameters stand, the innermost without one.
  struct Axis {
    std::string stride;
    Factors extent, others;  // `others`: what multiplies the stride
    bool is_bounded = false;
  };
  std::vector<Axis> axes_of(const std::string& pointer) const {
    std::vector<Axis> axes;
    const auto found = sums_.terms.find(pointer);
    const auto note = [&](const std::string& stride, const Term& t) {
      Axis axis{stride, extent(t), {}, is_bounded(t)};
      for (const std::string& factor : t.factors)
        if (factor != stride) axis.others.push_back(word(factor));
      const auto same = std::ranges::find(axes, stride, &Axis::stride);
      if (same == axes.end()) axes.push_back(axis);
      else if (axis.is_bounded && !same->is_bounded) *same = axis;
    };
    const std::vector<Term> terms = found == sums_.terms.end() ? std::vector<Term>() : found->second;
    for (const Parameter& p : case_.functor().parameters)
      for (const Term& t : terms)
        if (is_stride(p.name) && std::ranges::count(t.factors, p.name)) note(p.name, t);
    for (const Term& t : terms)
      if (std::ranges::none_of(t.factors, [&](const std::string& f) { return is_stride(f); })) {
        if (t.factors.empty()) note("", t);
        else note("* " + product(t.factors), t);  // row * n_cols
      }
    if (const auto offsets = sums_.offsets.find(pointer); offsets != sums_.offsets.end()) {
      if (axes.empty()) axes.push_back({"", {"1"}, {}, false});
      std::string all = product(axes.back().extent);
      for (const std::string& o : offsets->second) all += " + " + word(o);
      axes.back().extent = {axes.size() > 1 ? "(" + all + ")" : all};
    }
    return axes;
  }

  void set_strides(const std::string& pointer) {
    const std::vector<Axis> axes = axes_of(pointer);
    Factors inner;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
      Factors stride = inner;
      for (const std::string& other : a->others)
        if (const auto at = std::ranges::find(stride, other); at != stride.end()) stride.erase(at);
      if (is_stride(a->stride)) set(a->stride, product(stride));
      inner.insert(inner.begin(), a->extent.begin(), a->extent.end());
    }
  }

  // How many of what a table's values count there are.
  std::string counted_by(const std::string& pointer) const {
    for (const auto& [other, terms] : sums_.terms)
      for (const Term& t : terms)
        if (t.sources.contains("loaded " + pointer)) {
          const std::string limit = t.extent.empty() ? limit_of(t.sources) : t.extent[0];
          return limit.empty() ? std::to_string(programs) : word(limit);
        }
    return "";
  }

  void set_tensor(const Parameter& p) {
    if (sums_.descriptors.contains(p.name)) {
      out_.asked[word(p.name)] = "a tensor with its tile: f16[64, 64]:tile[16, 16]";
      return;
    }
    std::string shape;
    const std::vector<Axis> axes = axes_of(p.name);
    for (const Axis& a : axes) shape += (shape.empty() ? "" : ", ") + product(a.extent);
    const bool is_stored = accesses_.stored.contains(p.name), is_loaded = accesses_.loaded.contains(p.name);
    const bool is_atomic = sums_.atomics.contains(p.name);
    const std::string table = counted_by(p.name);
    const char* const dtype = case_.functor().multiplies ? "f16" : "f32";
    const char* const role = is_atomic || (is_stored && is_loaded) ? "inout:" : is_stored ? "out:" : "";
    const std::string fill = is_atomic ? ":zeros" : table.empty() ? "" : fmt::format(":uniform(0, {})", table);
    set(p.name, fmt::format("{}{}[{}]{}", role, table.empty() ? dtype : "i64", shape.empty() ? "1" : shape, fill));
  }

  std::string size(const std::string& name) const {
    if (sums_.persistent.contains(name)) return std::to_string(2 * programs);
    bool is_row = false, is_blocked = false, is_masked = false;
    std::string its_block;
    for (const Bound& b : sums_.bounds) {
      if (b.limit != name) continue;
      is_masked |= !b.is_loop;
      is_blocked |= has(b.sources, "program ") && has(b.sources, "arange ");
      is_row |= !has(b.sources, "program ") && !has(b.sources, "loop ") && has(b.sources, "arange ");
      for (const std::string& s : b.sources)
        if (s.starts_with("arange ")) its_block = word(name_in(s));
    }
    for (const auto& [pointer, terms] : sums_.terms)
      for (const Term& t : terms)
        for (const std::string& s : t.sources)
          if (std::ranges::count(t.extent, name) && s.starts_with("arange ")) its_block = word(name_in(s));
    if (const auto count = sums_.counted.find(name); its_block.empty() && count != sums_.counted.end())
      its_block = word(count->second);
    if (case_.functor().multiplies) return its_block.empty() ? "32" : "2 * " + its_block;
    if (is_row) return "13";
    if (!is_masked) return "64";
    return is_blocked || !its_block.empty() ? "50" : std::to_string(programs);
  }

  void set_number(const Parameter& p) {
    const bool is_constant = p.kind == 'c';
    if (sums_.dtypes.contains(p.name)) return set(p.name, "f32");
    if (const auto text = sums_.texts.find(p.name); text != sums_.texts.end())
      return set(p.name, '"' + text->second + '"');
    if (sums_.blocks.contains(p.name)) return set(p.name, std::to_string(block));
    if (is_limit(p.name) || sums_.counted.contains(p.name)) return set(p.name, size(p.name));
    if (sums_.flags.contains(p.name) && is_constant) return set(p.name, "false");
    if (is_divisor(p.name)) return set(p.name, "2");
    if (p.name.find("stride") != std::string::npos && sums_.used.contains(p.name)) {
      out_.asked[word(p.name)] = "how many elements lie between two neighbours along its axis";
      return;
    }
    set(p.name, is_constant                               ? std::to_string(is_factor(p.name) ? block : programs)
                : p.name.find("eps") != std::string::npos ? "1e-5"
                                                          : "1");
  }
  bool is_factor(const std::string& name) const {
    const auto has_it = [&](const Term& t) { return std::ranges::count(t.factors, name) > 0; };
    return std::ranges::any_of(sums_.terms, [&](const auto& of) { return std::ranges::any_of(of.second, has_it); });
  }

  const FileCase& case_;
  Accesses accesses_;
  std::set<std::string_view> pointers_;
  std::map<std::string, char> kinds_;
  PointerSums sums_;
  GuessedCase out_;
};

}  // namespace

GuessedCase guessed_case(triton::Program& program, const triton::Definition& kernel, const FileCase& of) {
  return Guess(program, kernel, of).make();
}

}  // namespace tl::cases
