// A kernel's launch as a film, by the machine model: the kernel computes no values.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "viz/model/film/film.h"
#include "viz/scene/scene_case.h"

namespace tl::viz {

using FilmToShow = std::shared_ptr<const film::Film>;

// The same with a setting changed, "group_size=1", or of another kernel, "persistent_matmul", with those of the
// settings that it has. Throws Error for a text that is neither.
run::KernelOptions changed_by(const run::KernelOptions& kernel, const std::string& change);

// `resident` and `compiling` as of model_of. `show_beginning` is handed the beginning of a launch that takes long to
// simulate, at once. `launch`: of several the one with this number; the last one where there are fewer. Throws Error:
// no SM holds a program; addresses that depend on data.
FilmToShow film_of_case(const run::KernelOptions& kernel, const std::string& gpu, std::int64_t resident,
                        Compiling compiling = Compiling::now, const std::atomic<bool>* stop = nullptr,
                        const std::function<void(FilmToShow)>& show_beginning = {}, int launch = 0);
// The same for a problem that need not have a name.
FilmToShow film_of_case(const problems::Problem& problem, const problems::Settings& settings, std::uint64_t seed,
                        const std::string& gpu, const run::ModelOptions& options,
                        const std::function<void(FilmToShow)>& show_beginning = {}, int launch = 0);

}  // namespace tl::viz
