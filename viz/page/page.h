// The page's one call: a question in JSON, its answer in JSON, over the same case, session, debugger and drawings as
// the window and the command line. README.md tells the questions.
#pragma once

#include <memory>
#include <string>

namespace tl::page {

struct State;

class Page {
 public:
  Page();
  ~Page();
  // Never throws: what cannot be answered is an answer, {"error": fact, "fix": ...}.
  std::string call(const std::string& question);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tl::page
