// What tuning found, as text, JSON and a plot.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/report/fields.h"
#include "interp/report/plot.h"
#include "interp/report/terminal.h"
#include "interp/tune/regret.h"

namespace tl::tune {

std::string tuned_text(const Tuned& tuned, report::Paint paint, int columns);
nlohmann::ordered_json tuned_json(const Tuned& tuned);
std::string regret_text(const Regret& regret, report::Paint paint, int columns);
nlohmann::ordered_json regret_json(const Regret& regret);
std::vector<report::Fields> kept_fields(const std::vector<Winner>& winners);
// Every trial that was measured, a dot: the model's time against the measured one.
report::Plot trials_plot(const std::vector<Tuned>& tuned);

}  // namespace tl::tune
