// What a page remembers from one question to the next, and who answers which.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "interp/debug/debugger.h"
#include "interp/run/kernel_case.h"
#include "viz/model/film/film.h"
#include "viz/model/panel.h"

namespace tl::page {

using Json = nlohmann::ordered_json;

constexpr const char* file = "kernel.py";  // as places name the text

// A kernel that was run.
struct Run {
  problems::Problem problem;
  run::Case a_case;
  std::unique_ptr<debug::Debugger> debugger;
  std::shared_ptr<viz::Findings> findings;
  viz::About chosen;                            // the cell that its story is about
  std::map<std::string, viz::ModelRun> models;  // by GPU
  std::map<std::string, std::shared_ptr<const viz::film::Film>> films;
};

struct State {
  std::unique_ptr<Run> run;
  Run& ran();  // throws Error: nothing was run yet
};

using Answer = Json (*)(State& state, const Json& question);
// A part that is built on its own, as the lessons are, answers {"do": what}. Called before the first
// question.
bool answer_by(const std::string& what, Answer answer);

// The kernels of a text, and what their cases ask for.
Json kernels_of(const Json& question);

Json run(State& state, const Json& question);
// Records a case that is made, and answers as `run` does.
Json record(State& state, std::unique_ptr<Run> made, const Json& question);
Json fault_of(const Fault& fault);  // with its file if the text imports it

Json go(State& state, const Json& question);     // to another moment
Json debug(State& state, const Json& question);  // a line of the debugger

Json panels(State& state);
Json draw(State& state, const Json& question);
Json schedule(State& state, const Json& question);
Json film(State& state, const Json& question);  // the chip while the launch runs, for film.js

}  // namespace tl::page
