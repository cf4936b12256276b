// Lines from a person or a pipe: editing, history and completion at a terminal, plain reading elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tl::report {

class LineInput {
 public:
  using Complete = std::function<std::vector<std::string>(const std::string& line)>;
  explicit LineInput(Complete complete = {});
  ~LineInput();
  LineInput(const LineInput&) = delete;

  bool is_interactive() const;
  // A line without its end; nothing at the end of input. Read from a pipe it is shown after the prompt, unless that is
  // empty. Ctrl-C gives an empty line and sets `was_interrupted`.
  std::optional<std::string> read(const std::string& prompt);
  bool was_interrupted() const;

 private:
  struct Editor;
  std::unique_ptr<Editor> editor_;
};

}  // namespace tl::report
