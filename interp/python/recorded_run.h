// A recorded run for Python: values at a step, the accesses of a cell, drawings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interp/debug/session.h"

namespace tl::python {

// Values as NumPy takes them: a dtype's name, a shape, the elements' bytes.
struct Values {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

struct CellTouch {
  ProgramId program;
  std::int64_t step, lane, element;
  int line;
  std::string kind;             // load, store, atomic add
  std::optional<Values> value;  // of the cell afterwards; empty: unknown
};

class RecordedRun {
 public:
  explicit RecordedRun(trace::RecordedTrace trace) : session_(std::move(trace)) {}

  std::vector<ProgramId> programs() const;
  std::int64_t steps(ProgramId program);
  std::vector<Fault> faults() const;
  std::vector<std::string> notes() const { return session_.trace().notes; }

  // Before op `step` of that program. Throws Error: it was not recorded.
  int line(ProgramId program, std::int64_t step);
  std::string op(ProgramId program, std::int64_t step);  // tl.load; "": the program's end
  std::vector<std::string> names(ProgramId program, std::int64_t step);
  // An expression, as the debugger computes it.
  Values value(ProgramId program, std::int64_t step, const std::string& expression);
  // Every touch of cells, y[3], in the order of the run.
  std::vector<CellTouch> history(const std::string& cells);
  std::string draw(const std::string& panel, std::optional<ProgramId> program, std::optional<std::int64_t> step);
  void save(const std::string& file) const;  // a recording, as `tilescope trace` writes it

 private:
  debug::Moment moment(ProgramId program, std::int64_t step) const;
  void go(ProgramId program, std::int64_t step) { session_.go(moment(program, step)); }
  debug::Session session_;
};

}  // namespace tl::python
