// A recorded program against its text: where each step stands, in which call, and what its variables are called.
#pragma once

#include <memory>

#include "interp/debug/source_model.h"
#include "interp/trace/recorded.h"

namespace tl::debug {

// The models of a trace's source texts, by file index.
class Sources {
 public:
  explicit Sources(const trace::RecordedTrace& trace);
  const SourceModel* model(int file) const { return file < 0 ? nullptr : models_[file].get(); }
  std::size_t size() const { return models_.size(); }

 private:
  std::vector<std::unique_ptr<SourceModel>> models_;
};

struct OpLocation {
  int token = -1;      // the op's own
  int statement = -1;  // innermost; -1: the text is not known
  int frame = 0;
};

// One call of a function; frame 0 is the kernel itself.
struct Frame {
  int parent = -1;
  int depth = 0;
  int file = -1, function = -1;
  int call = -1;                      // token in the parent's file
  std::uint32_t first = 0, last = 0;  // its steps, and those of its callees
  int outer = -1;                     // of a lambda: the frame it was made in, whose variables it sees
};

struct Variable {
  std::string name;
  int frame = 0;
  std::uint32_t object = 0;
  std::uint32_t begin = 0, end = 0;  // alive before steps begin .. end
  bool is_parameter = false;
  std::vector<std::pair<std::uint32_t, std::int32_t>> values;  // before step, value; none: what it holds is unknown
};

class ProgramView {
 public:
  ProgramView(const trace::RecordedTrace& trace, std::size_t program, const Sources& sources);

  const trace::RecordedProgram& program() const { return program_; }
  std::uint32_t steps() const { return static_cast<std::uint32_t>(program_.steps.size()); }
  const trace::Step& step(std::uint32_t s) const { return program_.steps[s]; }
  const OpLocation& location(std::uint32_t s) const { return locations_[s]; }
  int line(std::uint32_t s) const;  // of the op's own token, if that is known
  const SourceModel* model_of_frame(int frame) const { return sources_.model(frames_[frame].file); }
  const SourceModel* model_of(std::uint32_t s) const { return sources_.model(program_.steps[s].site.file); }
  const std::vector<Frame>& frames() const { return frames_; }
  const std::vector<Variable>& variables() const { return variables_; }

  // The place of the next op; at the end, of the one that failed, or of the kernel itself.
  int frame_at(std::uint32_t position) const { return position < steps() ? locations_[position].frame : failed_; }
  int depth(int frame) const { return frames_[frame].depth; }
  // If that op is the first of a helper: the frame about to call it.
  int frame_before_calls(std::uint32_t position) const;
  // The callee of `frame` on the way to the op at `position`; -1 when the op is the frame's own.
  int callee_at(std::uint32_t position, int frame) const;
  // The op at `position` as a frame sees it: its own token and statement, or those of the call it is in. A frame that
  // is not active: no statement.
  OpLocation location_in(std::uint32_t position, int frame) const;
  bool returns_value(int frame) const;  // whether its function has a return statement of its own
  // Whether a statement of `frame` begins there, each time it is executed.
  bool starts_statement(std::uint32_t position, int frame) const;
  bool starts_statement(std::uint32_t s) const {
    return s == 0 || instance_[s] != instance_[s - 1];
  }  // op by op, whatever the frame

  // Where a name is looked for: in the frame, in those its lambda stands in, then in the callers'.
  std::vector<int> frames_seen_from(int frame) const;
  // The variables of a frame before step `position`, in the order of their declaration.
  std::vector<const Variable*> locals(std::uint32_t position, int frame) const;
  // The variable of that name, in the innermost of those frames; null: none. Its value may be unknown.
  const Variable* visible(std::string_view name, std::uint32_t position, int frame) const;
  std::int32_t value_at(const Variable& variable, std::uint32_t position) const;  // index of values; -1: none
  // What a value is called before `position`; "" without a name.
  std::string name_of(std::int32_t value, std::uint32_t position) const;

 private:
  friend class ScopeReader;
  void locate_ops();
  void find_instances();
  void settle_tokens();

  const trace::RecordedProgram& program_;
  const Sources& sources_;
  std::string kernel_;
  std::vector<OpLocation> locations_;
  std::vector<Frame> frames_;
  int failed_ = 0;  // the frame that the program's end, a fault, stands in
  std::vector<std::uint32_t> instance_;
  std::vector<bool> is_vague_;       // the location names no op: g++ does so in a generic lambda's return statement
  std::vector<Variable> variables_;  // in the order of their declaration
};

}  // namespace tl::debug
