// The first minute: the lecture's wrong copy, told page by page from its own recording.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interp/debug/debugger.h"

namespace tl::debug {

class Tour {
 public:
  // A recording of copy_wrong_offsets. The debugger is where the pages move, and where the reader's own commands go in between.
  explicit Tour(trace::RecordedTrace recording, DebuggerOptions options = {});

  Debugger& debugger() { return debugger_; }
  std::size_t pages() const { return pages_.size(); }
  std::string page(std::size_t number);  // moves the debugger there

 private:
  std::string introduction();
  std::string statement_page(std::size_t program, int statement);
  std::string program_page(std::size_t program);
  std::string result();
  std::string reason();
  std::string backwards();
  std::string farewell();

  std::string heading(const std::string& text) const;
  std::string tensor_line(const std::string& name);
  std::string local(const std::string& name);  // its elements, at the moment
  std::string source_line(trace::Op op);       // of the statement with that op, with a caret

  Debugger debugger_;
  Paint paint_;
  std::vector<std::function<std::string()>> pages_;
};

}  // namespace tl::debug
