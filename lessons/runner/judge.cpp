#include "lessons/runner/judge.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lessons/runner/check.h"

namespace tl::lessons {

namespace {

// The figure that is the most times the solution's, where that is too many.
std::optional<Finding> too_much_work(const Score& score, double most) {
  std::optional<Finding> found;
  for (const Score::Figure& f : score.figures) {
    const double times = static_cast<double>(f.mine) / static_cast<double>(std::max<std::int64_t>(f.best, 1));
    if (times <= most) continue;
    most = times;
    found = Finding{fmt::format("at {} the kernel takes {} {}, where {} do", score.sizes, f.mine, f.name, f.best),
                    fmt::format("{:.1f} times as many", times), "which line moves or computes what is not needed?"};
    found->line = score.busiest_line;
  }
  return found;
}

Ruling ruling_of(const Report& r) {
  if (r.ok()) return Ruling::right;
  return r.compiler_errors > 0 ? Ruling::does_not_compile : r.has_right_numbers ? Ruling::wasteful : Ruling::wrong;
}

}  // namespace

std::string_view name_of(Ruling ruling) {
  switch (ruling) {
    case Ruling::right: return "right";
    case Ruling::wasteful: return "wasteful";
    case Ruling::wrong: return "wrong";
    case Ruling::does_not_compile: return "does not compile";
  }
  return "";
}

Verdict judge_kernel(const Lesson& lesson, const JudgeOptions& options) {
  Verdict v;
  for (const std::uint64_t seed : options.seeds) {
    v.report = check(lesson, {.file = options.file, .program = options.program, .seed = seed, .gpu = options.gpu});
    v.seed = seed;
    ++v.checks;
    v.ruling = ruling_of(v.report);
    if (v.ruling != Ruling::right) return v;
  }
  if (auto found = too_much_work(v.report.score, options.most_work)) {
    v.ruling = Ruling::wasteful;
    v.report.finding = std::move(found);
    v.report.during = v.report.score.sizes;
  }
  return v;
}

std::string verdict_json(const Lesson& lesson, const JudgeOptions& options, const Verdict& v) {
  const Report& r = v.report;
  nlohmann::ordered_json j{{"kernel", options.file.string()},
                           {"like", lesson.name()},
                           {"verdict", name_of(v.ruling)},
                           {"checks", v.checks},
                           {"seed", v.seed}};
  if (r.finding)
    j["finding"] = {{"during", r.during},
                    {"line", r.finding->line},
                    {"headline", r.finding->headline},
                    {"detail", r.finding->detail},
                    {"fix", r.finding->fix}};
  for (const Score::Figure& f : r.score.figures) j["work"][f.name] = {{"taken", f.mine}, {"best", f.best}};
  if (!r.score.figures.empty()) j["work"]["at"] = r.score.sizes;
  if (!r.notes.empty()) j["notes"] = r.notes;
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tl::lessons
