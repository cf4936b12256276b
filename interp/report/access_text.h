// Accesses for people, in the tensor's own coordinates: load a[0:128, 64i:64i+64].
#pragma once

#include <string>

#include "interp/trace/access_record.h"

namespace tl::report {

// 64i+128: a value in iteration i.
std::string linear_text(std::int64_t base, std::int64_t step);

// stage a[0:128, 64i:64i+64]
// load input[7, 0:781 of 1024]       the mask lets 781 of the block's 1024 lanes through
// store y[64:96, 0:32]^T             the block's first axis runs along the tensor's last
// load x.flat[17:8017:500]           lanes that lie along no axis: elements of the storage
// load x.flat[3 + {0, 5, 1, ...}]    no tile: offsets of the first lanes, 64 lanes, 61 active
std::string access_text(const trace::AccessRecord& record, const trace::PlacedAccess& access);

// 128 x { stage a[..]  stage b[..] }, wrapped where it is long; "\n" at its end.
std::string segment_text(const trace::AccessRecord& record, const trace::Segment& segment, const std::string& indent);

}  // namespace tl::report
