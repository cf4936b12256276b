// What a compiled kernel tells the host, through comments in the PTX: "// tilescope KIND VALUE". The device writes them
// by cuda/device/report.h, the host reads them by cuda/host/reports.h.
#pragma once

namespace tl::rules {

enum class Report : int {
  ring,           // a RingUse, packed: what an iteration takes of its loop's ring
  stages,         // of how many turns a loop wants the tiles ahead
  scratch_bytes,  // that an op takes of the end of dynamic shared memory
  overlap,        // dots run beside other work
  literal,        // a DType: the compiler does not know that a literal fits it, and the kernel checks
  exchange,       // threads that copy tiles exchange lanes, for which they have neither memory nor a barrier
};

}  // namespace tl::rules
