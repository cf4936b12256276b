// What a run takes of a GPU, by the trace and the machine model, beside the solution's run of the same trial.
#pragma once

#include <utility>

#include "lessons/runner/report.h"

namespace tl::lessons {

using NamedCount = std::pair<std::string, std::int64_t>;  // sectors, 26
// Loads and stores are elements, dots multiplications of numbers; sectors are those of the model's requests, and DRAM
// bytes those of each sector once. No sectors where the model has no plan for a line.
std::vector<NamedCount> figures_of(const problems::Instance& instance, const Observed& observed);
// The line whose requests take the most sectors; none where the model has no plan.
std::optional<Site> busiest_place(const problems::Instance& instance, const Observed& observed);
// The scores of a kernel that passed, beside the best ones; none if the model has no plan.
Score score_of(const Trial& trial, const Observed& mine, const Trial& best_trial, const Observed& best);

// passed beside the best known: 97 loads, 26 sectors (best known 13)
std::string score_text(const Score& score);

}  // namespace tl::lessons
