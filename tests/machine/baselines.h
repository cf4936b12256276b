// The closed-form wave count as strong as it can be made: persistent programs' tiles count as programs.
#pragma once

#include "interp/trace/access_record.h"

namespace tl::test {

// The closed-form wave count: programs run in waves of SMs x resident programs, a wave reads each different tile once, nothing outlives a wave. A
// persistent program's n-th tile belongs to the n-th wave.
double wave_count_dram_bytes(const trace::AccessRecord& record, std::int64_t sms, std::int64_t ctas_per_sm);

}  // namespace tl::test
