#include "interp/prove/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "interp/prove/case_formulas.h"
#include "interp/prove/follower.h"
#include "interp/prove/linear.h"
#include "interp/prove/solver.h"
#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/run/execute.h"

namespace tl::prove {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 30;  // i32 offsets reach twice as far

class Prover {
 public:
  Prover(const CaseFormulas& formulas, const Follower& follower, const Launch& launch)
      : formulas_(formulas), follower_(follower) {
    for (const Argument& a : launch.arguments)
      if (const auto* t = std::get_if<TensorArgument>(&a)) names_.push_back(t->tensor.name);
      else if (const auto* d = std::get_if<DescriptorArgument>(&a)) names_.push_back(d->tensor.name);
  }

  std::vector<Claim> claims() {
    std::vector<Claim> all;
    for (const std::string& gap : follower_.gaps) all.push_back({Claim::Verdict::unproven, "all accesses", gap, {}});
    for (const std::string& word : formulas_.not_formulas)
      all.push_back({Claim::Verdict::unproven, "all sizes", fmt::format("{} is no formula of sizes", word), {}});
    add(all, paths());
    for (const FoundAccess& a : follower_.accesses) add(all, bounds(a));
    const auto stores = [](const FoundAccess& a) { return a.op == Op::store; };
    for (std::size_t i = 0; i < follower_.accesses.size(); ++i)
      for (std::size_t j = i; j < follower_.accesses.size(); ++j) {
        const FoundAccess &a = follower_.accesses[i], &b = follower_.accesses[j];
        if (stores(a) && stores(b) && a.tensor == b.tensor) add(all, apart(a, b));
      }
    return all;
  }

 private:
  // One line for what holds along several paths; the worst that is said of a place.
  static void add(std::vector<Claim>& all, std::optional<Claim> c) {
    if (!c) return;
    const auto same = std::ranges::find(all, c->text, &Claim::text);
    if (same == all.end()) all.push_back(*std::move(c));
    else if (same->verdict == Claim::Verdict::proven ||
             (same->verdict == Claim::Verdict::unproven && c->verdict == Claim::Verdict::wrong))
      *same = *std::move(c);
  }

  static bool is_of_data(const std::set<std::string>& symbols) {
    return std::ranges::any_of(symbols, [](const std::string& s) { return s.starts_with("u"); });
  }

  // What sizes, ids, turns and lanes may be, and `conditions`.
  std::string question(std::vector<ConditionPtr> conditions, std::int64_t most, bool is_linear = false) const {
    std::set<std::string> symbols;
    for (const std::string& size : formulas_.sizes) symbols.insert("s_" + size);
    conditions.push_back(formulas_.constants);
    for (const auto& e : formulas_.elements)
      if (e) conditions.push_back(at_most(*e, most));
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (const auto& g = formulas_.grid[axis])
        conditions.push_back(both(at_most(1, *g), at_most(*g, axis == 0 ? INT32_MAX : 65535)));
    for (const ConditionPtr& c : conditions) add_symbols(c, symbols);
    std::set<std::string> told;
    while (told.size() < symbols.size()) {
      const auto next = std::ranges::find_if(symbols, [&](const std::string& s) { return !told.contains(s); });
      const std::string name = *next;
      told.insert(name);
      for (const ConditionPtr& c : rules_of(name)) {
        add_symbols(c, symbols);
        conditions.push_back(c);
      }
    }
    for (const std::string& size : formulas_.sizes) {
      const Number n = Number::symbol("s_" + size);
      conditions.push_back(both(at_most(1, n), at_most(n, INT32_MAX)));
    }
    if (is_linear) {
      Linear linear;
      for (ConditionPtr& c : conditions) c = linear(c);
      for (const ConditionPtr& c : linear.facts()) conditions.push_back(c);
      for (const ConditionPtr& c : conditions) add_symbols(c, symbols);
    }
    std::string text;
    for (const std::string& s : symbols)
      text += fmt::format("(declare-const {} {})\n", s, s[0] == 'u' ? "Bool" : "Int");
    for (const ConditionPtr& c : conditions) text += fmt::format("(assert {})\n", text_of(c));
    return text;
  }

  // Of p0, g0, k3, and their second copies p0b, g0, k3b.
  std::vector<ConditionPtr> rules_of(const std::string& name) const {
    const bool is_second = name.ends_with("b");
    const std::string base = is_second ? name.substr(0, name.size() - 1) : name;
    const Number n = Number::symbol(name);
    if (base[0] == 'p' || base[0] == 'g') {
      const auto& grid = formulas_.grid[static_cast<std::size_t>(base[1] - '0')];
      if (!grid) return {};
      if (base[0] == 'g') return {equal(n, *grid)};
      return {at_most(0, n), less(n, *grid)};
    }
    const auto turn = follower_.turns.find(base);
    if (base[0] != 'k' || turn == follower_.turns.end()) return {};
    const auto second = [&](const Number& of) { return is_second ? of.with(renamed(of)) : of; };
    return {at_most(0, n), less(second(turn->second.lo) + n * Number(turn->second.step), second(turn->second.hi))};
  }

  static std::map<std::string, Number> renamed(const std::set<std::string>& symbols) {
    std::map<std::string, Number> map;
    for (const std::string& s : symbols)
      if (s[0] == 'p' || s[0] == 'l' || s[0] == 'k') map.emplace(s, Number::symbol(s + "b"));
    return map;
  }
  static std::map<std::string, Number> renamed(const Number& n) {
    std::set<std::string> symbols;
    n.add_symbols(symbols);
    return renamed(symbols);
  }

  static ConditionPtr lanes_of(const FoundAccess& a) {
    ConditionPtr c = constant(true);
    for (std::size_t i = 0; i < a.extents.size(); ++i) {
      const Number lane = Number::symbol(fmt::format("l{}", i));
      c = both(c, both(at_most(0, lane), less(lane, a.extents[i])));
    }
    return c;
  }

  // Is there a case in which all of `conditions` hold?
  Claim decided(std::string text, const std::vector<ConditionPtr>& conditions, const std::string& when_wrong) const {
    Claim claim{Claim::Verdict::proven, std::move(text), "", {}};
    std::set<std::string> symbols;
    for (const ConditionPtr& c : conditions) add_symbols(c, symbols);
    const auto cannot_be = [&](std::int64_t most) {
      return solve(question(conditions, most, true), 8'000'000).answer == Answer::no;
    };
    if (cannot_be(INT64_MAX / 2)) return claim;
    Solution any = cannot_be(most_elements) ? Solution{Answer::no, {}} : solve(question(conditions, most_elements));
    const bool is_too_hard = any.answer == Answer::unknown;
    if (is_too_hard) any = near_own_sizes(conditions);
    if (any.answer == Answer::no && !is_too_hard) {
      const Solution beyond = solve(question(conditions, INT64_MAX / 2));
      if (beyond.answer == Answer::no) return claim;
      claim.reason = "while tensors hold at most 2^30 elements";
      if (beyond.answer == Answer::yes && !is_of_data(symbols))
        claim.reason += fmt::format("; beyond, {}: {}", when_wrong, fmt::join(sizes_of(beyond), " "));
      return claim;
    }
    claim.verdict = Claim::Verdict::unproven;
    if (is_too_hard)
      claim.reason = fmt::format("the formulas are too hard for z3{}",
                                 any.answer == Answer::no ? "; for the case's own sizes it holds" : "");
    if (is_of_data(symbols)) claim.reason = "a mask or a branch follows from data";
    Solution shown = any;  // the smallest sizes that do
    for (const std::int64_t most : {256, 16384, 16777216}) {
      if (is_too_hard) break;
      Solution s = solve(question(conditions, most));
      const Answer answer = s.answer;
      if (answer == Answer::yes) shown = std::move(s);
      if (answer != Answer::no) break;
    }
    if (shown.answer != Answer::yes || is_of_data(symbols)) return claim;
    claim.verdict = Claim::Verdict::wrong;
    claim.reason = when_wrong;
    claim.counterexample = sizes_of(shown);
    for (int axis = 0; axis < 3; ++axis)
      if (const auto p = shown.values.find(fmt::format("p{}", axis)); p != shown.values.end())
        claim.reason += fmt::format("{}{}", axis == 0 ? ", in program " : ", ", p->second);
    return claim;
  }

  // The case's sizes, and each of them one more or less: products of sizes are numbers then. `no`: of its own.
  Solution near_own_sizes(const std::vector<ConditionPtr>& conditions) const {
    Solution own;
    for (const int more : {0, 1, -1}) {
      std::vector<ConditionPtr> all = conditions;
      for (std::size_t i = 0; i < formulas_.sizes.size(); ++i)
        all.push_back(equal(Number::symbol("s_" + formulas_.sizes[i]), Number(formulas_.values[i] + more)));
      Solution s = solve(question(std::move(all), most_elements));
      if (s.answer == Answer::yes) return s;
      if (more == 0) own = std::move(s);
    }
    return own;
  }

  std::vector<std::string> sizes_of(const Solution& s) const {
    std::vector<std::string> words;
    for (const std::string& size : formulas_.sizes) {
      const auto value = s.values.find("s_" + size);
      words.push_back(fmt::format("{}={}", size, value == s.values.end() ? 1 : value->second));
    }
    return words;
  }

  std::string what(const FoundAccess& a) const { return fmt::format("{}, line {}", trace::text_of(a.op), a.site.line); }

  Claim bounds(const FoundAccess& a) const {
    const std::string& name = names_[static_cast<std::size_t>(a.tensor)];
    const std::string text = fmt::format("{}: inside {}", what(a), name);
    const auto& elements = formulas_.elements[static_cast<std::size_t>(a.tensor)];
    if (!a.unknown.empty()) return {Claim::Verdict::unproven, text, a.unknown, {}};
    if (!elements)
      return {Claim::Verdict::unproven, text, fmt::format("how many elements {} has is no formula", name), {}};
    const std::vector<ConditionPtr> active{lanes_of(a), a.path, a.mask};
    const auto asked = [&](const ConditionPtr& wrong, const std::vector<ConditionPtr>& where) {
      std::vector<ConditionPtr> all = where;
      all.push_back(wrong);
      return all;
    };
    Claim claim =
        decided(text, asked(negation(both(at_most(0, a.offset), less(a.offset, *elements))), active), "out of bounds");
    if (claim.verdict != Claim::Verdict::proven) return claim;
    // Numbers that a GPU would not have so: those of the mask in every lane, those of the offsets where it lets
    // through.
    for (const auto& [needs, where] :
         {std::pair(&a.mask_needs, std::vector<ConditionPtr>{lanes_of(a), a.path}), std::pair(&a.needs, active)})
      for (const int n : *needs) {
        const Need& need = follower_.needs[static_cast<std::size_t>(n)];
        const Claim c =
            decided(text, asked(negation(need.holds), where), fmt::format("line {}: {}", need.site.line, need.text));
        if (c.verdict != Claim::Verdict::proven) return c;
        if (claim.reason.empty()) claim.reason = c.reason;
      }
    return claim;
  }

  // No element of two programs.
  std::optional<Claim> apart(const FoundAccess& a, const FoundAccess& b) const {
    const std::string& name = names_[static_cast<std::size_t>(a.tensor)];
    const std::string text = a.site.line == b.site.line
                                 ? fmt::format("{}: programs store to elements of {} of their own", what(a), name)
                                 : fmt::format("stores, lines {} and {}: programs store to elements of {} of their own",
                                               a.site.line, b.site.line, name);
    if (!a.unknown.empty() || !b.unknown.empty())
      return Claim{Claim::Verdict::unproven, text, a.unknown.empty() ? b.unknown : a.unknown, {}};
    std::set<std::string> symbols{"p0", "p1", "p2"};
    const ConditionPtr second = both(lanes_of(b), both(b.path, b.mask));
    add_symbols(second, symbols);
    b.offset.add_symbols(symbols);
    const auto names = renamed(symbols);
    ConditionPtr same = constant(true);
    for (const std::string p : {"p0", "p1", "p2"}) same = both(same, equal(Number::symbol(p), Number::symbol(p + "b")));
    return decided(
        text,
        {lanes_of(a), a.path, a.mask, with(second, names, "b"), equal(a.offset, b.offset.with(names)), negation(same)},
        "two programs store to one element");
  }

  // Does every program of every size take a path that one of this case took?
  std::optional<Claim> paths() const {
    ConditionPtr none = constant(true);
    for (const ConditionPtr& p : follower_.paths) none = both(none, negation(p));
    if (none->kind == Condition::Kind::constant && !none->value) return {};
    Claim c = decided("every branch is taken by a program of this case", {none}, "");
    if (c.verdict == Claim::Verdict::proven) return c;
    c.verdict = Claim::Verdict::unproven;
    c.reason = c.counterexample.empty()
                   ? "branches follow from data, or are too hard"
                   : fmt::format("none goes as one of {} does: prove that case, too", fmt::join(c.counterexample, " "));
    c.counterexample.clear();
    return c;
  }

  const CaseFormulas& formulas_;
  const Follower& follower_;
  std::vector<std::string> names_;
};

}  // namespace

bool Proof::is_wrong() const {
  return std::ranges::any_of(claims, [](const Claim& c) { return c.verdict == Claim::Verdict::wrong; });
}

Proof prove_case(const run::Case& c) {
  if (!has_solver())
    throw Error("this tilescope was built without z3", "install libz3-dev and build it again, or leave out --prove");
  if (c.instance.launches.size() != 1 || !problems::names_file(c.problem->name))
    throw Error("--prove takes a kernel's file with one launch", "tilescope run kernel.py --prove");
  const CaseFormulas formulas = formulas_of(c);
  const Launch& launch = c.instance.launches.front();
  Follower follower(launch, formulas);
  cpu::RunOptions options;
  options.order = cpu::Order::sequential;
  options.checks = {};
  options.checks.hints = false;
  options.symbols = &follower;
  c.instance.reset();
  const cpu::RunResult run = cpu::run(launch, options);
  follower.end_path();
  for (const Fault& f : run.faults) follower.gaps.insert("the case itself fails: " + f.headline);
  return {formulas.sizes, Prover(formulas, follower, launch).claims()};
}

nlohmann::ordered_json proof_json(const Proof& proof) {
  nlohmann::ordered_json j{
      {"ok", !proof.is_wrong()}, {"sizes", proof.sizes}, {"claims", nlohmann::ordered_json::array()}};
  for (const Claim& c : proof.claims) {
    nlohmann::ordered_json claim{{"verdict", c.verdict == Claim::Verdict::proven  ? "proven"
                                             : c.verdict == Claim::Verdict::wrong ? "wrong"
                                                                                  : "not proven"},
                                 {"claim", c.text}};
    if (!c.reason.empty()) claim["reason"] = c.reason;
    if (!c.counterexample.empty()) claim["case"] = c.counterexample;
    j["claims"].push_back(std::move(claim));
  }
  return j;
}

std::string proof_text(const Proof& proof, const std::string& kernel, report::Paint paint) {
  std::string text = fmt::format("for every {}, grid and program, with the kernel's constants as they are:\n",
                                 proof.sizes.empty() ? "size" : fmt::format("{}", fmt::join(proof.sizes, ", ")));
  for (const Claim& c : proof.claims) {
    const std::string verdict = c.verdict == Claim::Verdict::proven  ? paint.good("proven")
                                : c.verdict == Claim::Verdict::wrong ? paint.bad("wrong")
                                                                     : paint.bold("not proven");
    text += fmt::format("{}: {}{}\n", verdict, c.text, c.reason.empty() ? "" : ": " + c.reason);
    if (c.counterexample.empty()) continue;
    text += fmt::format("    tilescope run {} {} shows it\n", kernel, fmt::join(c.counterexample, " "));
  }
  return text;
}

}  // namespace tl::prove
