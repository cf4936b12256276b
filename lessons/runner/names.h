// A program's variables as the learner named them: what each held, and which line of the kernel itself, not of a
// helper, made it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/debug/program_view.h"
#include "lessons/runner/observed.h"

namespace tl::lessons {

class Names {
 public:
  Names(const Observed& observed, std::int64_t program);

  // The line that made what a variable of the kernel holds at its end; else `otherwise`.
  std::optional<Site> made(const std::string& variable, const std::optional<Site>& otherwise = {}) const;
  // What a scalar held; nothing: there is no such variable, or it is a block.
  std::optional<std::int64_t> integer(const std::string& variable) const;
  // 2 x 1, of a block.
  std::optional<std::vector<std::int64_t>> shape(const std::string& variable) const;
  // The line of the kernel's first loop, also of one without iterations.
  std::optional<Site> loop() const;
  // per_group = 27, first = 9: the whole numbers that the kernel's variables hold, as they were made.
  std::string integers_text() const;

  // The line on which the kernel passes a helper its parameter, or computes what it passes.
  std::optional<Site> argument(const std::string& parameter, const std::optional<Site>& otherwise = {}) const;
  // The line, in a helper too, that made what is stored, before it was cast.
  std::optional<Site> stored(const std::string& tensor, const std::optional<Site>& otherwise = {}) const;

  // The line that made the mask of the first access of that kind, or one axis of its pointers: the rows (0) or the
  // columns (1), which were stood upright or laid flat on the way.
  std::optional<Site> mask(const std::string& tensor, bool stored, const std::optional<Site>& otherwise = {}) const;
  std::optional<Site> axis(const std::string& tensor, bool stored, int axis,
                           const std::optional<Site>& otherwise = {}) const;

 private:
  const trace::Step* access_step(const std::string& tensor, bool stored) const;
  const debug::Variable* variable(const std::string& name) const;
  std::optional<Site> site_of(std::int32_t value) const;
  bool is_counter(const debug::Variable& variable) const;  // of a loop
  const Observed& observed_;
  debug::Sources sources_;
  debug::ProgramView view_;
  std::vector<std::int32_t> made_by_;  // of each value: the step; -1: none
};

}  // namespace tl::lessons
