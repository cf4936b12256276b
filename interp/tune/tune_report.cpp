#include "interp/tune/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "interp/lang/user_folders.h"
#include "interp/report/numbers.h"
#include "interp/report/table.h"
#include "interp/run/limits_text.h"

namespace tl::tune {

using namespace report;

namespace {

using Standing = Trial::Standing;
using Json = nlohmann::ordered_json;

// Of all configs, in the order of the first that has each.
std::vector<std::string> names_in(const std::vector<Trial>& trials) {
  std::vector<std::string> names;
  for (const Trial& t : trials)
    for (const auto& [name, value] : t.config)
      if (!std::ranges::count(names, name)) names.push_back(name);
  return names;
}

std::string value_in(const problems::Config& config, const std::string& name) {
  const auto it = std::ranges::find(config, name, &problems::NamedValue::first);
  return it == config.end() ? "" : it->second;
}

std::string mark_of(Standing standing) {
  return standing == Standing::winner ? ">" : standing == Standing::tied ? "=" : " ";
}

const char* name_of(Standing standing) {
  static constexpr const char* names[] = {"refused", "ranked", "behind", "tied", "winner"};
  return names[static_cast<int>(standing)];
}

// TFLOP/s of products; GB/s of the bytes that all other kernels must move.
std::string rate_of(const Trial& t, bool computes) {
  const double ms = time_of(t);
  const char* const at_most = !t.is_measured() && t.model.is_least ? "< " : "";
  return at_most + (computes ? rate_text(t.flops / ms * 1e-9) : rate_text(t.bytes / ms * 1e-6));
}

std::string model_text(const Prediction& model) { return (model.is_least ? "> " : "") + time_text(model.ms); }

std::string table_of(const Tuned& tuned) {
  const std::vector<std::string> names = names_in(tuned.trials);
  const bool any_measured = std::ranges::any_of(tuned.trials, &Trial::is_measured);
  const bool computes =
      std::ranges::any_of(tuned.trials, [](const Trial& t) { return t.flops >= 16 * t.bytes && t.bytes > 0; });
  const bool spills = std::ranges::any_of(tuned.trials, [](const Trial& t) { return !t.model.spills.empty(); });
  Table table{.header = {""}};
  table.header.insert(table.header.end(), names.begin(), names.end());
  if (any_measured)
    for (const char* h : {"measured", "95 % within", ""}) table.header.emplace_back(h);
  table.header.back() = any_measured ? (computes ? "TFLOP/s" : "GB/s") : table.header.back();
  table.header.emplace_back("model");
  if (!any_measured) table.header.emplace_back(computes ? "TFLOP/s" : "GB/s");
  for (const char* h : {"CTAs/SM", "waves", "DRAM", "L2 hits", "registers"}) table.header.emplace_back(h);
  if (spills) table.header.emplace_back("spills");
  table.header.emplace_back("limited by");
  table.left.push_back(table.header.size() - 1);
  for (const Trial& t : tuned.trials) {
    if (t.is_refused() || std::isnan(t.model.ms)) continue;
    std::vector<std::string> row{mark_of(t.standing)};
    for (const std::string& name : names) row.push_back(value_in(t.config, name));
    if (any_measured) {
      const Interval i = interval_of(t.samples_ms);
      if (t.is_measured())
        for (const std::string& cell :
             {time_text(i.median), time_text(i.low) + " .. " + time_text(i.high), rate_of(t, computes)})
          row.push_back(cell);
      else row.insert(row.end(), {"-", "-", "-"});
    }
    row.push_back(model_text(t.model));
    if (!any_measured) row.push_back(rate_of(t, computes));
    const Prediction& m = t.model;
    for (const std::string& cell :
         {m.ctas_per_sm > 0 ? std::to_string(m.ctas_per_sm) : "-", m.is_least ? "-" : fmt::format("{:.2f}", m.waves),
          m.is_least ? "-" : bytes_text(m.dram_bytes), m.is_least ? "-" : percent_text(m.hit_rate),
          m.ctas_per_sm > 0 ? (m.is_estimate ? "~" : "") + std::to_string(m.registers) : "-"})
      row.push_back(cell);
    if (spills) row.push_back(m.spills.empty() ? "-" : "yes");
    row.push_back(m.is_least ? limit_text(m) : run::cause_text(m.cause));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? "" : table.text(0);
}

// Those of one reason together.
std::vector<std::pair<std::string, std::vector<const Trial*>>> refusals_of(const std::vector<Trial>& trials) {
  std::vector<std::pair<std::string, std::vector<const Trial*>>> refusals;
  for (const Trial& t : trials) {
    if (!t.is_refused()) continue;
    auto it = std::ranges::find(refusals, t.why, [](const auto& r) { return r.first; });
    if (it == refusals.end()) it = refusals.insert(it, {t.why, {}});
    it->second.push_back(&t);
  }
  return refusals;
}

std::string heading_of(const Tuned& tuned) {
  const auto refused = std::ranges::count_if(tuned.trials, &Trial::is_refused),
             checked = std::ranges::count_if(tuned.trials, &Trial::is_checked),
             timed = std::ranges::count_if(tuned.trials, &Trial::is_measured);
  std::string text = plural(std::ssize(tuned.trials), "config") + " ranked by the model";
  if (refused) text += fmt::format(", {} refused", refused);
  if (const auto cut = std::ranges::count_if(tuned.trials, [](const Trial& t) { return t.model.is_least; }))
    text += fmt::format(", {} of them only as far as to know that {} more than twice as long as the fastest (>)", cut,
                        cut > 1 ? "they take" : "it takes");
  if (checked)
    text += fmt::format(", {} compared with the reference{}", checked,
                        tuned.checked_at.empty() ? "" : " at " + tuned.checked_at);
  if (timed) text += fmt::format(", {} timed on {}", timed, tuned.machine);
  else text += "; every time is by " + tuned.model + ", none was measured";
  return text;
}

std::string words_of_winner(const Tuned& tuned) {
  std::string words = tuned.space.problem->name;
  for (const std::string& g : tuned.space.given) words += " " + g;
  return words;
}

std::string winner_text(const Tuned& tuned, Paint paint) {
  const Trial* const best = tuned.winner();
  if (!best) return "";
  std::string text =
      fmt::format("{} {}, {}", paint.good("winner:"), problems::config_text(best->config), time_text(time_of(*best)));
  if (!best->is_measured())
    text += tuned.device == Device::model ? " by the model" : " by the model: a single config is not timed";
  const auto tied = std::ranges::count(tuned.trials, Standing::tied, &Trial::standing);
  if (tied) text += fmt::format("; {} tied with it (=): their intervals overlap", plural(tied, "config"));
  text += "\n";
  if (!tuned.descended_from.empty() && tuned.descended_from != best->config)
    text += fmt::format("descended from {}, {}: {:.2f} times as fast\n", problems::config_text(tuned.descended_from),
                        time_text(tuned.descended_from_ms), tuned.descended_from_ms / time_of(*best));
  if (!best->is_checked) text += paint.dim("not kept: it was not checked") + "\n";
  else if (!tuned.why_not_kept.empty()) text += paint.dim("not kept: " + tuned.why_not_kept) + "\n";
  else if (cache_home().empty())
    text += paint.dim("not kept: neither XDG_CACHE_HOME nor HOME holds an absolute path") + "\n";
  else if (!tuned.is_stopped && !tuned.failure && !tuned.is_recorded)
    text += paint.dim(fmt::format("kept: `tilescope run {} --tuned` takes it", words_of_winner(tuned))) + "\n";
  return text;
}

}  // namespace

std::string tuned_text(const Tuned& tuned, Paint paint, int columns) {
  std::string text = paint.bold(tuned.space.problem->name) + " " + key_text(tuned.space) + "\n";
  if (tuned.kept) {
    const Winner& w = *tuned.kept;
    return text + fmt::format("{} {}, {} by {}, kept on {} (of {}); --no-cache tunes anew\n", paint.good("winner:"),
                              problems::config_text(w.config), winner_time(w), w.machine, w.date,
                              plural(w.configs, "config"));
  }
  text += paint.dim(wrapped(heading_of(tuned), columns)) + "\n";
  for (const std::string& note : tuned.notes) text += wrapped("note: " + note, columns) + "\n";
  text += "\n" + table_of(tuned);
  for (const auto& [why, refused] : refusals_of(tuned.trials))
    text += wrapped(fmt::format("{} {}{}: {}", paint.bad("refused"), problems::config_text(refused.front()->config),
                                refused.size() > 1 ? fmt::format(" and {} more", refused.size() - 1) : "", why),
                    columns) +
            "\n";
  const bool estimated = std::ranges::any_of(tuned.trials, [](const Trial& t) { return t.model.is_estimate; });
  if (estimated) text += paint.dim("~ an estimate: --compile makes registers, shared memory and spills exact") + "\n";
  return text + winner_text(tuned, paint);
}

Json tuned_json(const Tuned& tuned) {
  const auto config_json = [](const problems::Config& config) {
    Json j = Json::object();
    for (const auto& [name, value] : config) j[name] = value;
    return j;
  };
  Json j{{"kernel", tuned.space.problem->name},   {"key", key_text(tuned.space)},
         {"device", name_of(tuned.device)},       {"machine", tuned.machine},
         {"winner", config_json(tuned.config())}, {"from_cache", tuned.kept.has_value()},
         {"stopped", tuned.is_stopped},           {"trials", Json::array()}};
  if (tuned.kept) j["winner_ms"] = tuned.kept->ms;
  else if (const Trial* best = tuned.winner()) j["winner_ms"] = time_of(*best);
  if (!tuned.checked_at.empty()) j["checked_at"] = tuned.checked_at;
  if (!tuned.notes.empty()) j["notes"] = tuned.notes;
  for (const Trial& t : tuned.trials) {
    Json trial{{"config", config_json(t.config)}, {"standing", name_of(t.standing)}, {"checked", t.is_checked}};
    if (t.is_refused()) trial["why"] = t.why;
    if (t.model.is_least) trial["model"] = {{"more_than_ms", t.model.ms}, {"why", limit_text(t.model)}};
    else if (!std::isnan(t.model.ms))
      trial["model"] = {{"ms", t.model.ms},
                        {"limited_by", t.model.cause.limit},
                        {"busiest", t.model.cause.busiest},
                        {"busiest_share", t.model.cause.share},
                        {"ctas_per_sm", t.model.ctas_per_sm},
                        {"occupancy", t.model.occupancy},
                        {"waves", t.model.waves},
                        {"dram_bytes", t.model.dram_bytes},
                        {"l2_hit_rate", t.model.hit_rate},
                        {"registers", t.model.registers},
                        {"shared_bytes", t.model.shared_bytes},
                        {"estimated", t.model.is_estimate},
                        {"spills", !t.model.spills.empty()}};
    if (t.is_measured()) {
      const Interval i = interval_of(t.samples_ms);
      trial["measured"] = {{"median_ms", i.median},
                           {"low_ms", i.low},
                           {"high_ms", i.high},
                           {"repetitions", t.samples_ms.size()},
                           {"gb_per_s", t.bytes / i.median * 1e-6},
                           {"tflop_per_s", t.flops / i.median * 1e-9}};
    }
    j["trials"].push_back(std::move(trial));
  }
  return j;
}

std::string regret_text(const Regret& r, Paint paint, int columns) {
  if (r.winners.empty()) return "";
  Table table{.header = {"config"}};
  for (const std::string& size : r.sizes) table.header.push_back("at " + size);
  for (std::size_t w = 0; w < r.winners.size(); ++w) {
    table.rows.push_back({problems::config_text(r.winners[w])});
    for (std::size_t s = 0; s < r.sizes.size(); ++s)
      table.rows.back().push_back(
          std::isnan(r.ms[w][s]) ? "-" : fmt::format("{} ({:.2f}x)", time_text(r.ms[w][s]), r.factor(w, s)));
  }
  const std::size_t best = r.for_all();
  return paint.bold("regret") + ": each winner taken at every size, and how many times as long as the best there\n" +
         table.text() +
         wrapped(fmt::format("one config for all sizes: {}, at worst {:.2f} times as long as a winner of its own",
                             problems::config_text(r.winners[best]), r.worst_factor(best)),
                 columns) +
         "\n";
}

Json regret_json(const Regret& r) {
  Json j{{"sizes", r.sizes}, {"best_ms", r.best_ms}, {"winners", Json::array()}};
  for (std::size_t w = 0; w < r.winners.size(); ++w)
    j["winners"].push_back(
        {{"config", problems::config_text(r.winners[w])}, {"ms", r.ms[w]}, {"for_all", w == r.for_all()}});
  return j;
}

std::vector<Fields> kept_fields(const std::vector<Winner>& winners) {
  std::vector<Fields> all;
  for (const Winner& w : winners)
    all.push_back({{"kernel", "kernel", Value::word(w.kernel)},
                   {"key", "for", Value::word(w.key)},
                   {"winner", "winner", Value::word(problems::config_text(w.config))},
                   {"ms", "time", {w.ms, winner_time(w)}},
                   {"device", "", Value::word(name_of(w.device))},
                   {"machine", "on", Value::word(w.machine)},
                   {"date", "kept", Value::word(w.date)}});
  return all;
}

Plot trials_plot(const std::vector<Tuned>& tuned) {
  Plot plot{.title = tuned.front().space.problem->name,
            .subtitle = "a dot a config; " + tuned.front().machine,
            .x_label = "model, us",
            .y_label = "measured, us",
            .log_x = true,
            .log_y = true,
            .lines = {}};
  Line equal{.name = "as the model says", .x = {}, .y = {}, .low = {}, .high = {}, .is_dashed = true};
  for (const Tuned& t : tuned) {
    Line dots{.name = key_text(t.space), .x = {}, .y = {}, .low = {}, .high = {}, .is_dots = true};
    for (const Trial& trial : t.trials)
      if (trial.is_measured()) {
        dots.x.push_back(1000 * trial.model.ms);
        dots.y.push_back(1000 * time_of(trial));
      }
    equal.x.insert(equal.x.end(), dots.x.begin(), dots.x.end());
    if (!dots.x.empty()) plot.lines.push_back(std::move(dots));
  }
  std::ranges::sort(equal.x);
  if (!equal.x.empty()) equal.x = {equal.x.front(), equal.x.back()};
  equal.y = equal.x;
  plot.lines.insert(plot.lines.begin(), equal);
  return plot;
}

}  // namespace tl::tune
