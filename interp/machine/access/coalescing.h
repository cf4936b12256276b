// Sectors per request of every load and store line: in the layout that CUDA uses, and with one lane an element.
//   sectors = distinct (address / 32) over the lanes of a request that ask
//   efficiency = bytes asked for / (32 x sectors)
// Base addresses are taken to be multiples of 32, as allocations are.
#pragma once

#include <map>
#include <string>

#include "interp/machine/access/cuda_access.h"
#include "interp/machine/access/type_tracker.h"
#include "interp/trace/access_record.h"

namespace tl::machine {

inline constexpr int sector_bytes = 32;

int sectors_of(const Request& request);
std::int64_t useful_bytes_of(const Request& request);  // each byte once
// The fewest sectors that hold as many bytes.
inline std::int64_t ideal_sectors(std::int64_t useful_bytes) {
  return (useful_bytes + sector_bytes - 1) / sector_bytes;
}

struct Coalescing {
  std::int64_t requests = 0, sectors = 0, ideal = 0;
  std::int64_t useful_bytes = 0;
  std::int64_t lanes = 0;                         // that asked
  std::map<int, std::int64_t> requests_by_bytes;  // width of a lane's access -> requests
  Request worst;                                  // the first request with the most needless sectors
  std::int64_t worst_waste = 0;                   // sectors
  double per_request() const { return requests ? static_cast<double>(sectors) / static_cast<double>(requests) : 0; }
  double efficiency() const {
    return sectors ? static_cast<double>(useful_bytes) / (32.0 * static_cast<double>(sectors)) : 1;
  }
  void add(const Request& request, std::int64_t times = 1);
};

// A place in the kernel's text that touches a tensor.
struct LineKey {
  std::string file;
  int line = 0, column = 0, tensor = -1;
  trace::AccessKind kind = trace::AccessKind::load;
  auto operator<=>(const LineKey&) const = default;
};

// How a place's accesses become requests.
struct LinePlan {
  AccessPlan cuda, simple;  // simple: one lane an element
  // In a tl.static_for each iteration has types of its own: further plans beside `cuda`, and the plan of each pass, 0
  // for `cuda`, as a sequence that repeats; empty: always `cuda`.
  std::vector<AccessPlan> others = {};
  std::vector<std::uint8_t> turns = {};
  std::size_t of_pass(std::size_t pass) const { return turns.empty() ? 0 : turns[pass % turns.size()]; }
  const AccessPlan& numbered(std::size_t i) const { return i == 0 ? cuda : others[i - 1]; }
};
using LinePlans = std::map<LineKey, LinePlan>;

struct LineCoalescing {
  LineKey key;
  std::string tensor;
  DType dtype = DType::float32;
  AccessPlan plan;
  Coalescing cuda, simple;
  std::int64_t accesses = 0;
};

// Programs that together pass every place of a record: enough to watch for its plans. Linear ids, ascending.
std::vector<std::int64_t> programs_of_every_line(const trace::AccessRecord& record);

// Observes those programs and finds the plan of each of their accesses.
class PlanObserver : public TypeTracker {
 public:
  using TypeTracker::TypeTracker;
  trace::Keep program_begins(ProgramId) override;
  void op(const trace::OpEvent& event) override;
  LinePlans plans() const;

 private:
  AccessPlan plan_of(const trace::OpEvent& event) const;

  LinePlans plans_;
  std::map<LineKey, std::vector<std::uint8_t>> turns_,
      longest_;  // of the program that runs; of the one that passed a place most often
};

// The plans of a record's lines; `watch` runs the launch for the observer that it is given. A kernel that CUDA compiles
// without some formulas is run again, to be planned without them.
template <class Watch>
LinePlans plans_of_launch(CudaConfig config, const trace::AccessRecord& record, Watch watch) {
  const auto programs = programs_of_every_line(record);
  while (true) {
    PlanObserver observer(config, programs);
    watch(observer);
    if (!observer.gives_up_formulas()) return observer.plans();
    config = rules::with_fewer_formulas(config);
  }
}

// Every access of a launch, by file, line and column. Throws Error for a place without a plan.
std::vector<LineCoalescing> coalescing_of(const trace::AccessRecord& record, const LinePlans& plans);

}  // namespace tl::machine
