#include "lessons/runner/report.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "interp/lang/error.h"

namespace tl::lessons {

using nlohmann::json;

Finding finding_in(const std::string& words, const std::string& fix) {
  static const std::regex head(R"(^[^\n:]*:(\d+)(?::(\d+))?: ([^\n]*)(?:\n[\s\S]*)?$)");
  std::smatch m;
  if (!std::regex_match(words, m, head)) return {words, "", fix};
  Finding f{m[3].str(), "", fix};
  f.line = std::stoi(m[1]);
  f.column = m[2].matched ? std::stoi(m[2]) : 0;
  return f;
}

std::string to_json(const Report& r) {
  json j;
  j["passed"] = r.passed;
  j["trials"] = r.trials;
  j["during"] = r.during;
  j["compiler_errors"] = r.compiler_errors;
  j["has_right_numbers"] = r.has_right_numbers;
  if (r.finding)
    j["finding"] = {{"headline", r.finding->headline}, {"detail", r.finding->detail}, {"fix", r.finding->fix},
                    {"line", r.finding->line},         {"column", r.finding->column}, {"source", r.finding->source}};
  j["gpu"] = {{"state", static_cast<int>(r.gpu.state)},
              {"device", r.gpu.device},
              {"text", r.gpu.text},
              {"trials", r.gpu.trials}};
  j["run_ms"] = r.run_ms;
  j["notes"] = r.notes;
  j["score"] = {{"sizes", r.score.sizes}, {"figures", json::array()}};
  for (const Score::Figure& f : r.score.figures) j["score"]["figures"].push_back({f.name, f.mine, f.best});
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Report report_from_json(const std::string& text) {
  try {
    const json j = json::parse(text);
    Report r;
    r.compiler_errors = j.at("compiler_errors");
    r.has_right_numbers = j.at("has_right_numbers");
    r.passed = j.at("passed").get<std::vector<std::string>>();
    r.trials = j.at("trials");
    r.during = j.at("during");
    if (j.contains("finding")) {
      const json& f = j["finding"];
      r.finding = Finding{f.at("headline"), f.at("detail"), f.at("fix"), f.at("line"), f.at("column"), f.at("source")};
    }
    const json& g = j.at("gpu");
    r.gpu = {static_cast<GpuReport::State>(g.at("state").get<int>()), g.at("device"), g.at("text"), g.at("trials")};
    r.run_ms = j.at("run_ms");
    r.notes = j.at("notes").get<std::vector<std::string>>();
    r.score.sizes = j.at("score").at("sizes");
    for (const json& f : j.at("score").at("figures")) r.score.figures.push_back({f.at(0), f.at(1), f.at(2)});
    return r;
  } catch (const json::exception&) {
    throw Error("the check's process gave no report",
                "try again; if it stays so, `tilescope learn reset` puts the starter back");
  }
}

}  // namespace tl::lessons
