// Questions that a lesson asks about a recorded run: what each program touched, how often each element moved, how many
// lanes were masked off.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/lang/pid_condition.h"
#include "interp/trace/recorded.h"
#include "kernels/problems/problem.h"

namespace tl::lessons {

class Observed {
 public:
  explicit Observed(trace::RecordedTrace trace) : trace_(std::move(trace)) {}

  const trace::RecordedTrace& trace() const { return trace_; }
  std::int64_t programs() const { return std::ssize(trace_.programs); }  // that ran, all launches

  // Lanes that touched memory, and lanes that a mask kept from it. tensor "": all of them.
  struct Count {
    std::int64_t loaded = 0, stored = 0, masked_loads = 0, masked_stores = 0;  // lanes
    std::int64_t loaded_bytes = 0, stored_bytes = 0;
  };
  Count count(const std::string& tensor = "") const;

  // How often each element was loaded, or stored (atomics count as stores).
  std::vector<int> loads(const std::string& tensor) const { return touches(tensor, false); }
  std::vector<int> stores(const std::string& tensor) const { return touches(tensor, true); }

  // Different elements of `tensors` that programs number first .. last loaded, counted once each.
  std::int64_t distinct_loads(const std::vector<std::string>& tensors, std::int64_t first, std::int64_t last) const;

  // The elements, in lane order, that program number `program` touched in `tensor`.
  std::vector<std::int64_t> touched(std::int64_t program, const std::string& tensor, bool stored) const;
  // Its first access of that kind; null: none.
  const trace::RecordedAccess* first_access(std::int64_t program, const std::string& tensor, bool stored) const;
  // Where lane 0 of that stands, a masked one too.
  std::optional<std::int64_t> first_lane(std::int64_t program, const std::string& tensor, bool stored) const;
  // All programs touched the same elements of a tensor, and there are several.
  bool all_programs_alike(const std::string& tensor, bool stored) const;

  struct LaneAccess {
    ProgramId program;
    std::int64_t lane = 0;
    Site site;
  };
  std::optional<LaneAccess> last_writer(const std::string& tensor, std::int64_t element) const;
  std::optional<LaneAccess> first_reader(const std::string& tensor, std::int64_t element) const;
  // The first access of that kind to the tensor, by any program.
  std::optional<Site> first_site(const std::string& tensor, bool stored) const;
  // Whether the kernel ran this op at all.
  bool has_op(trace::Op op) const;
  // Whether an access of that kind was given a mask, by programs whose values were kept.
  bool has_mask(const std::string& tensor, bool stored) const;
  // The value of a masked-off lane of a load from the tensor; empty: no lane was masked off.
  std::optional<double> masked_value(const std::string& tensor) const;
  // The smallest and the largest element of the first operand of such ops; nothing: none was kept, or all are NaN.
  std::optional<std::pair<double, double>> operand_range(trace::Op op) const;
  // The first cast by a program that changed an element, and what became of it.
  struct LossyCast {
    Site site;
    DType to;
    double from, became;
  };
  std::optional<LossyCast> lossy_cast(ProgramId program,
                                      const std::function<bool(const trace::Step&)>& counts = {}) const;
  // Whether another op takes what one of these ops made.
  bool is_result_taken(trace::Op op) const;
  std::optional<Site> site_of(trace::Op op) const;
  std::optional<Site> last_site_of(trace::Op op) const;  // in the first program
  Site site(const trace::RecordedSite& s) const;

  // Visits every access to a tensor: visit(program number, access, site).
  template <class Visit>
  void for_each_access(const std::string& tensor, Visit visit) const {
    std::int64_t number = 0;
    for (const trace::RecordedProgram& p : trace_.programs) {
      for (const trace::Step& step : p.steps) {
        if (step.access < 0) continue;
        const trace::RecordedAccess& a = p.accesses[step.access];
        if (tensor.empty() || name_of(p, a) == tensor) visit(number, a, site(step.site));
      }
      ++number;
    }
  }

 private:
  std::vector<int> touches(const std::string& tensor, bool stored) const;
  std::optional<LaneAccess> access_to(const std::string& tensor, std::int64_t element, bool stored, bool last) const;
  const std::string& name_of(const trace::RecordedProgram& p, const trace::RecordedAccess& a) const;
  trace::RecordedTrace trace_;
};

// Runs an instance program after program and keeps what its programs touched; the faults found come out in `faults`.
// Every check is on. `op_limit` ends a loop that does not.
// Values are kept of the first 64 programs, or of `values` alone.
Observed observe(const problems::Instance& instance, std::vector<Fault>& faults, std::int64_t op_limit = 200'000,
                 const PidCondition& values = {});

// About how many ops all programs take: those of the first one, which alone runs, times the programs that there are.
std::int64_t ops_of(const problems::Instance& instance);

}  // namespace tl::lessons
