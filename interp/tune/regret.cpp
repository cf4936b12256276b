#include "interp/tune/regret.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include "interp/run/interrupt.h"

namespace tl::tune {

double Regret::worst_factor(std::size_t winner) const {
  double worst = 1;
  for (std::size_t s = 0; s < sizes.size(); ++s)
    worst = std::isnan(ms[winner][s]) ? std::numeric_limits<double>::infinity() : std::max(worst, factor(winner, s));
  return worst;
}

std::size_t Regret::for_all() const {
  std::size_t best = 0;
  for (std::size_t w = 1; w < winners.size(); ++w)
    if (worst_factor(w) < worst_factor(best)) best = w;
  return best;
}

namespace {

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Without the words that all of them have.
void keep_what_differs(std::vector<std::string>& sizes) {
  std::vector<std::string> common = words_in(sizes.front());
  for (const std::string& size : sizes)
    std::erase_if(common, [&, words = words_in(size)](const std::string& w) { return !std::ranges::count(words, w); });
  for (std::string& size : sizes) {
    std::vector<std::string> words = words_in(size);
    std::erase_if(words, [&](const std::string& w) { return std::ranges::count(common, w) > 0; });
    size = fmt::format("{}", fmt::join(words, " "));
  }
}

}  // namespace

Regret regret_of(const std::vector<Tuned>& tuned, const TuneOptions& options) {
  Regret regret;
  for (const Tuned& t : tuned)
    if (const problems::Config config = t.config(); !config.empty() && !std::ranges::count(regret.winners, config))
      regret.winners.push_back(config);
  regret.ms.resize(regret.winners.size());
  for (const Tuned& t : tuned) {
    const run::KeepOnInterrupt keep;
    const std::vector<Trial> trials = measured(t.space, regret.winners, options);
    regret.sizes.push_back(key_text(t.space));
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t w = 0; w < trials.size(); ++w) {
      const double ms = trials[w].is_refused() ? NAN : time_of(trials[w]);
      regret.ms[w].push_back(ms);
      if (!std::isnan(ms)) best = std::min(best, ms);
    }
    regret.best_ms.push_back(best);
  }
  if (regret.sizes.size() > 1) keep_what_differs(regret.sizes);
  return regret;
}

}  // namespace tl::tune
