// Ctrl-C while a kernel compiles or runs without the GIL: the work stops, then Python handles the signal as usual.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <type_traits>

namespace tl::python {

// While one lives, SIGINT sets `stop()` and is passed on to Python's own handler.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  static const std::atomic<bool>& stop();
};

// Does `work` without the GIL, so that other threads of Python run. Throws what a signal's handler raised:
// KeyboardInterrupt.
template <class Work>
auto without_gil(const Work& work) {
  const auto done = [&] {
    const Interruptible interruptible;
    const pybind11::gil_scoped_release no_gil;
    return work();
  };
  const auto answered = [] {
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  };
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      done();
      answered();
    } else {
      auto result = done();
      answered();
      return result;
    }
  } catch (const pybind11::error_already_set&) {
    throw;
  } catch (...) {  // what was stopped halfway failed for that reason
    answered();
    throw;
  }
}

}  // namespace tl::python
