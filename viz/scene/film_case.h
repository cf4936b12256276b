// A kernel's first launch as a film, by the machine model: the kernel computes no values.
#pragma once

#include <atomic>
#include <memory>

#include "interp/run/kernel_case.h"
#include "viz/model/film/film.h"

namespace tl::viz {

// `resident`: programs an SM holds at once; 0: as occupancy says, of the kernel as it is compiled where that may be
// done, else estimated. Throws Error: no SM holds a program; addresses that depend on data.
std::shared_ptr<const film::Film> film_of_case(const run::KernelOptions& kernel, const std::string& gpu,
                                               std::int64_t resident, bool may_compile = true,
                                               const std::atomic<bool>* stop = nullptr);

}  // namespace tl::viz
