// Reads a program's recorded scopes and names: which call each op belongs to, and which variables there are when.
#pragma once

#include <unordered_map>

#include "interp/debug/program_view.h"

namespace tl::debug {

class ScopeReader {
 public:
  explicit ScopeReader(ProgramView& view);
  void run();

 private:
  // A scope under way: a function's body, or a block of one.
  struct Scope {
    int frame = -1;  // -1: a block
    std::vector<std::size_t> variables;
  };
  struct Object {
    std::int32_t value = -1;
    std::vector<std::size_t> names;  // the variables that stand for it, references too
  };
  // A function of a text; -1: not known.
  struct FunctionId {
    int file = -1, function = -1;
    bool operator==(const FunctionId&) const = default;
  };

  const SourceModel* model(int file) const { return view_.sources_.model(file); }
  Frame& frame(int f) { return view_.frames_[f]; }
  Frame kernel_frame() const;
  FunctionId function_that_begins(const trace::RecordedSite& at) const;
  int top() const;  // the innermost frame under way
  bool fails_within(int frame);
  int add(const Frame& frame);
  void assign_frame(std::uint32_t step);
  FunctionId function_of(std::uint32_t step) const;
  int call_token(const trace::RecordedSite& call, const std::string& callee) const;
  int outer_of(const Frame& frame) const;
  void begin_scope(const trace::RecordedScope& scope, std::uint32_t step);
  void end_scope(std::uint32_t step);
  void assign(const trace::VariableEvent& event);
  void name(const trace::VariableEvent& event);

  ProgramView& view_;
  const trace::RecordedProgram& program_;
  std::vector<Scope> open_;
  std::vector<bool> has_steps_;  // by frame
  int guessed_ = -1;             // the frame of ops whose function told no scope
  std::unordered_map<std::uint32_t, Object> objects_;
};

}  // namespace tl::debug
