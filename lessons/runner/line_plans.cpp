#include "lessons/runner/line_plans.h"

#include <nlohmann/json.hpp>

#include "interp/cpu/facts.h"
#include "interp/cpu/run.h"
#include "interp/cuda/host/expression.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"

namespace tl::lessons {

namespace {

using machine::AccessPlan;
using nlohmann::json;
using rules::Bases;

json to_json(const Bases& b) { return std::vector<int>(b.at, b.at + b.count); }

Bases bases_of(const json& j) {
  Bases b;
  for (const int basis : j) b.add(basis);
  return b;
}

json to_json(const AccessPlan& p) {
  json j{{"path", static_cast<int>(p.path)},
         {"is_store", p.is_store},
         {"element_bytes", p.element_bytes},
         {"shape", std::vector<int>(p.shape.begin(), p.shape.end())},
         {"layout", {to_json(p.layout.registers), to_json(p.layout.lanes), to_json(p.layout.warps)}},
         {"elements", p.elements},
         {"axis", p.axis},
         {"all_holders", p.all_holders},
         {"is_uniform", p.is_uniform},
         {"repeats", p.repeats},
         {"one_thread", p.one_thread},
         {"fills", p.fills},
         {"box_cols", p.box_cols}};
  if (p.unaligned) j["unaligned"] = to_json(*p.unaligned);
  return j;
}

AccessPlan plan_of(const json& j) {
  AccessPlan p;
  p.path = static_cast<machine::Path>(j["path"].get<int>());
  p.is_store = j["is_store"];
  p.element_bytes = j["element_bytes"];
  for (const int size : j["shape"]) p.shape.add(size);
  p.layout = {bases_of(j["layout"][0]), bases_of(j["layout"][1]), bases_of(j["layout"][2])};
  p.elements = j["elements"];
  p.axis = j["axis"];
  p.all_holders = j["all_holders"];
  p.is_uniform = j["is_uniform"];
  p.repeats = j["repeats"];
  p.one_thread = j["one_thread"];
  p.fills = j["fills"];
  p.box_cols = j["box_cols"];
  if (j.contains("unaligned")) p.unaligned = std::make_shared<const AccessPlan>(plan_of(j["unaligned"]));
  return p;
}

}  // namespace

machine::LinePlans plans_of(const Launch& launch, const trace::AccessRecord& record) {
  return plans_of(launch, record, cpu::facts_of(launch).dots);
}

machine::LinePlans plans_of(const Launch& launch, const trace::AccessRecord& record, rules::Dots dots) {
  return machine::plans_of_launch(cuda::config_of(launch, {.dots = dots, .one_role = {}}, false), record,
                                  [&](trace::Observer& observer) {
                                    cpu::RunOptions options;
                                    options.order = cpu::Order::sequential;
                                    options.observer = &observer;
                                    cpu::run(launch, options);
                                  });
}

void save_plans(const machine::LinePlans& plans, const std::filesystem::path& file) {
  json all = json::array();
  for (const auto& [key, plan] : plans)
    all.push_back({{"file", key.file},
                   {"line", key.line},
                   {"column", key.column},
                   {"tensor", key.tensor},
                   {"kind", static_cast<int>(key.kind)},
                   {"cuda", to_json(plan.cuda)},
                   {"simple", to_json(plan.simple)}});
  tl::write_file(file, all.dump());
}

machine::LinePlans load_plans(const std::filesystem::path& file) {
  machine::LinePlans plans;
  for (const json& j : json::parse(regular_file_if_any(file).value_or(""), nullptr, false))
    if (j.is_object())
      plans[{j["file"], j["line"], j["column"], j["tensor"], static_cast<trace::AccessKind>(j["kind"].get<int>())}] = {
          plan_of(j["cuda"]), plan_of(j["simple"])};
  return plans;
}

}  // namespace tl::lessons
