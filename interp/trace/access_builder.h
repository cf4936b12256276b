// Builds an access record, access by access, or from an observed ordinary run.
#pragma once

#include "interp/trace/access_record.h"
#include "interp/trace/event.h"

namespace tl::trace {

bool computes(Op op);  // arithmetic, math, choices, casts, reductions, random numbers, blocks that are turned: what
                       // LaneWork counts where it makes data

// An operand of an op, or its result: 1 lane is a scalar.
struct OpLanes {
  DType dtype = DType::float32;
  double lanes = 0;
};

class AccessBuilder {
 public:
  AccessBuilder(const LaunchInfo& launch, int num_warps, int num_stages);

  void begin_program(ProgramId);
  void access(const Access&, Route, const Site&);
  void dot(DType inputs, std::string_view text, double flops);  // text: as in OpEvent
  // An op that computes; operands of arithmetic that are of another dtype are converted first.
  void computed(Op op, std::span<const OpLanes> operands, OpLanes result);
  void end_program();
  void drop_program();  // the one under way, or the last one

  // For loops: what was recorded since a mark is dropped, or becomes a segment repeated so often, its accesses moving
  // by `steps` each time.
  struct Mark {
    std::uint32_t accesses = 0;
    double flops = 0;
    LaneWork lanes;
  };
  Mark mark() const { return {static_cast<std::uint32_t>(record_.accesses.size()), flops_, lanes_}; }
  void rewind(const Mark&);
  void repeat(const Mark& from, std::int64_t iterations, std::span<const std::int64_t> steps);

  const AccessRecord& record() const { return record_; }  // as far as it is
  AccessRecord take();                                    // programs by linear id, in whatever order they came

 private:
  void converted(DType from, DType to, Op op, double lanes);
  void add(LaneOps ops);
  void end_segment();
  void add_segment(std::uint32_t end, std::int64_t iterations, double flops, LaneWork lanes);
  std::uint32_t intern(const Access&, Route, const Site&);
  void grow_table();

  AccessRecord record_;
  double flops_ = 0;  // since the last segment
  LaneWork lanes_;    // since the last segment
  bool has_dots_ = false;
  std::uint32_t segment_first_ = 0;
  std::vector<std::uint32_t> table_;   // open addressing: pattern number + 1
  std::vector<std::uint64_t> hashes_;  // of each pattern
};

// Observes a run (RunOptions::observer, in any order) and makes its record. It sees no loops: programs are stretches of
// accesses.
class AccessObserver : public Observer {
 public:
  // Keep::accesses suffices; with Keep::values the record counts flops and lanes as well.
  explicit AccessObserver(Keep keep = Keep::accesses, int num_warps = 4, int num_stages = 3)
      : keep_(keep), num_warps_(num_warps), num_stages_(num_stages) {}
  void launch_begins(const LaunchInfo&) override;
  Keep program_begins(ProgramId) override;
  void op(const OpEvent&) override;
  void program_ends(ProgramId) override;
  AccessRecord take() { return builder_.take(); }

 private:
  Keep keep_;
  int num_warps_, num_stages_;
  AccessBuilder builder_{{}, 0, 0};
};

// The record of launch number `launch` of a recorded trace. Its sites name the trace's files, which must outlive it.
AccessRecord accesses_of(const RecordedTrace& trace, int launch = 0);

}  // namespace tl::trace
