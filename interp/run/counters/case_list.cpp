#include "interp/run/counters/case_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "interp/lang/error.h"

namespace tl::run {

MeasuredCase measured_case(const std::string& run, std::string set) {
  MeasuredCase c{run, std::move(set), {}, false};
  std::istringstream words(run);
  for (std::string word; words >> word;) {
    if (word == "--generic") c.generic = true;
    else if (word.find('=') != std::string::npos) c.kernel.settings.push_back(word);
    else if (c.kernel.kernel.empty()) c.kernel.kernel = word;
    else
      throw Error(fmt::format("\"{}\" is not a run: \"{}\" is neither its kernel nor a setting", run, word),
                  "write KERNEL name=value ...");
  }
  problems::parse(problems::find(c.kernel.kernel), c.kernel.settings);  // refused before anything is measured
  return c;
}

std::vector<MeasuredCase> parse_cases(const std::string& text) {
  const auto refuse = [](const std::string& what) -> Error {
    return Error("this is not a list of cases: " + what, "write {\"cases\": [{\"run\": \"matmul m=4096\"}, ...]}");
  };
  nlohmann::json list;
  try {
    list = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    throw refuse(fmt::format("it is not JSON, from byte {} on", e.byte));
  } catch (const nlohmann::json::exception&) {  // out_of_range of 1e400
    throw refuse("it holds a number that is too large");
  }
  if (!list.is_object() || !list.contains("cases") || !list["cases"].is_array())
    throw refuse("it has no list \"cases\"");
  if (list["cases"].empty()) throw refuse("\"cases\" is empty");
  std::vector<MeasuredCase> cases;
  for (const auto& c : list["cases"]) {
    if (!c.is_object() || !c.contains("run") || !c["run"].is_string() || (c.contains("set") && !c["set"].is_string()))
      throw refuse(fmt::format("case {} is {}, without a text \"run\"", cases.size() + 1, c.dump()));
    cases.push_back(measured_case(c["run"], c.value("set", "")));
  }
  return cases;
}

std::string cases_json(const std::vector<MeasuredCase>& cases) {
  auto list = nlohmann::ordered_json::array();
  for (const MeasuredCase& c : cases) {
    nlohmann::ordered_json j{{"run", c.run}};
    if (!c.set.empty()) j["set"] = c.set;
    list.push_back(std::move(j));
  }
  return nlohmann::ordered_json{{"cases", std::move(list)}}.dump();
}

}  // namespace tl::run
