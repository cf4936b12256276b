// The access record of a launch: its kernel run for addresses and masks alone, without tensor data, as long as data
// decides neither.
#pragma once

#include <atomic>
#include <cstdint>

#include "interp/lang/launch.h"
#include "interp/trace/access_record.h"
#include "interp/trace/event.h"

namespace tl::cpu {

struct AddressOptions {
  bool compress_loops = true;               // false: every iteration is run
  bool confirms = true;                     // a few programs are run in full as well, and compared
  std::int64_t first_programs = INT64_MAX;  // no more are run
  bool with_values = false;                 // compute the data all the same, and store it: the tensors must hold theirs
  std::int64_t op_limit = 0;                // ops a program may take, then a Fault; 0: no limit
  const std::atomic<bool>* stop = nullptr;  // set from a signal handler: a Fault of FaultKind::stopped
};

// The kernel decides by data what it touches, and the tensors hold none: what() says why, the fix how to go on.
struct NeedsTensorData : Error {
  using Error::Error;
};

// Programs run one after the other, axis 0 fastest. Where an address, a mask, a branch, a range or an assertion depends
// on data, the launch is run again with values (then it reads and writes its tensors) and the record's needed_values
// says why. Tensors made under ShapesOnly suffice unless that happens. Throws FaultError where the kernel fails: bounds
// are checked as ever.
trace::AccessRecord record_accesses(const Launch& launch, const AddressOptions& options = {});

// Runs those programs alone for which the observer wants values, every iteration of them, and tells it of their ops:
// what they compute from tensor data has no lanes to look at. Where data decides, with values, as above.
void watch_addresses(const Launch& launch, trace::Observer& observer, const AddressOptions& options = {});

// What `make` gives with tensors that hold no data; where data decides, what it gives with tensors that do. It makes
// its tensors itself, each time.
template <class F>
auto without_data_if_possible(F make) {
  try {
    const ShapesOnly no_data;
    return make();
  } catch (const NeedsTensorData&) {
  }
  return make();
}

}  // namespace tl::cpu
