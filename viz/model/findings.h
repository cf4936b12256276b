// Results derived from the whole recording, computed when first needed and kept, so that a step costs only its changes.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "interp/trace/memory.h"
#include "viz/model/cells.h"
#include "viz/model/model_run.h"

namespace tl::viz {

class Findings {
 public:
  explicit Findings(const trace::RecordedTrace& trace) : trace_(trace) {}

  // The accesses to a tensor in the order of the run, and their totals.
  struct Lanes {
    std::int64_t loads = 0, stores = 0, masked = 0, written = 0;  // written: distinct elements
  };
  struct Access {
    trace::Moment moment;
    const trace::RecordedAccess* access = nullptr;
    Lanes before;  // of the earlier accesses
  };
  struct OfTensor {
    std::vector<Access> accesses;
    Lanes all;
    bool is_output = false;  // a program stores to it
    std::size_t done_before(trace::Moment now) const;
    const Lanes& lanes_before(trace::Moment now) const;
  };
  const OfTensor& of_tensor(int launch, int tensor);

  // The index of the access that first loads, and first stores, a cell of a texel; `never`: none does.
  static constexpr std::uint32_t never = ~std::uint32_t{0};
  struct FirstTouch {
    std::vector<std::uint32_t> load, store;
  };
  struct Grid : Cells {
    std::int64_t across = 1, down = 1;  // cells a texel
    auto operator<=>(const Grid&) const = default;
    std::int64_t texel_columns() const { return (columns + across - 1) / across; }
    std::int64_t texels() const { return (rows + down - 1) / down * texel_columns(); }
  };
  const FirstTouch& first_touch(int launch, int tensor, const Grid& grid);

  // Every moment of the run by a running number, for a scrubber: a program of n steps has n + 1.
  std::int64_t moments();
  std::int64_t number_of(trace::Moment moment);
  trace::Moment moment_of(std::int64_t number);

  // What each line of a file has moved before a moment.
  struct Traffic {
    double bytes = 0;
    std::int64_t lanes = 0, masked = 0;
    bool writes = false;
  };
  std::map<int, Traffic> traffic_before(int file, trace::Moment now);
  // Sectors of 32 bytes that the current program's lines have asked for so far, by the rule of requests.h.
  std::map<int, std::int64_t> sectors_before(int file, trace::Moment now, const ModelRun* model);

 private:
  struct LineAccess {
    trace::Moment moment;
    Traffic up_to;  // this access included
  };
  const trace::RecordedTrace& trace_;
  bool is_indexed_ = false;
  std::vector<std::int64_t> first_moment_;  // of each program; the last entry: of all moments
  std::map<std::pair<int, int>, OfTensor> tensors_;
  std::map<std::tuple<int, int, Grid>, FirstTouch> touched_;
  std::map<std::pair<int, int>, std::vector<LineAccess>> lines_;                  // by file and line
  std::pair<std::size_t, const ModelRun*> sectors_of_{~std::size_t{0}, nullptr};  // what `sectors_` are of
  std::vector<std::int64_t> sectors_;                                             // of each of a program's accesses
  void index_run();
};

}  // namespace tl::viz
