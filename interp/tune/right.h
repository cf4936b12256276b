// Whether a config is right: checked on the interpreter, with every check, at sizes that no block divides. A wrong
// config never wins.
#pragma once

#include <map>
#include <span>
#include <string>

#include "interp/tune/space.h"
#include "interp/tune/trial.h"

namespace tl::tune {

class RightConfigs {
 public:
  // `on_gpu`: there as well.
  RightConfigs(const Space& space, bool on_gpu, bool generic);

  // Compiles them all at once for the GPU, where they are checked there: one by one it would take a while.
  void compile_ahead(std::span<const Trial> trials) const;
  // Refuses the trial where it is wrong.
  void check(Trial& trial);
  // The same at the sizes that were asked for, where a run of them takes a second or so: a block may hold all of a
  // small row and not of a long one.
  void check_as_asked(Trial& trial);
  // At which sizes, and why not at odd ones, if so: "m=131 n=133 k=135".
  const std::string& sizes() const { return sizes_; }
  const std::string& note() const { return note_; }

 private:
  problems::Settings at_check_sizes(const Trial& trial, bool odd) const;
  void check(Trial& trial, const problems::Settings& settings);
  std::string why_wrong(const problems::Settings& settings);

  const Space& space_;
  bool on_gpu_, generic_, odd_ = true, has_reference_ = true;
  std::string sizes_, note_;
  std::map<std::string, std::string> known_;  // by settings that the interpreter heeds
};

}  // namespace tl::tune
