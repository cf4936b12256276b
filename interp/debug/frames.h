// Which call each op of a program belongs to. Calls are not recorded: an op in another function tells of a call or a
// return.
#pragma once

#include <map>

#include "interp/debug/program_view.h"

namespace tl::debug {

class FrameFinder {
 public:
  explicit FrameFinder(ProgramView& view) : view_(view), frames_(view.frames_) {}
  void run();

 private:
  struct Callee {
    int file = -1, function = -1;
    bool operator==(const Callee&) const = default;
  };
  enum class Which : unsigned char {
    to_come,
    all
  };  // calls that come after what a frame was seen at, or come again in a loop

  void add_kernel();
  void add(const Frame& frame);
  Callee callee_of(std::uint32_t step) const;
  bool is_in(int frame, const Callee& callee) const {
    return at(frame).file == callee.file && at(frame).function == callee.function;
  }
  bool is_same_op(std::uint32_t a, std::uint32_t b) const {
    return view_.step(a).site == view_.step(b).site && view_.step(a).op == view_.step(b).op;
  }
  bool is_called_again(int frame, std::uint32_t step) const;
  int outer_turn(int frame, std::uint32_t step) const;

  // What a name stands for in a frame: a function, a lambda around it, or a lambda it was given.
  Callee meaning(int frame, std::string_view name) const;
  Callee given(int frame, std::size_t parameter) const;
  std::vector<int> calls_of(int frame, Which which);  // the nearest first
  bool calls(int frame, const Callee& callee, Which which);
  bool is_first_statement(int frame, int token) const;

  void call(int from, const Callee& callee, std::uint32_t step);
  int choose(const std::vector<int>& callers, std::uint32_t step, const Callee& callee);
  // Adds the frame of a call, and those between that have no op of their own before it.
  bool enter(int caller, const Callee& callee, std::uint32_t step, Which which, int most_between);

  const Frame& at(int frame) const { return frames_[static_cast<std::size_t>(frame)]; }
  const SourceModel* model(int file) const { return view_.sources_.model(file); }
  int reached(int frame) const { return reached_[static_cast<std::size_t>(frame)].token; }
  void reach(int frame, int token, std::uint32_t step);

  ProgramView& view_;
  std::vector<Frame>& frames_;
  int top_ = 0;
  struct Reached {
    int token = -1;           // the last that the frame was seen at
    std::uint32_t since = 0;  // the step at which it came to that statement
  };
  std::vector<Reached> reached_;                           // by frame
  std::map<std::pair<int, int>, std::vector<int>> calls_;  // by file and function
};

}  // namespace tl::debug
