// How many CTAs of a kernel an SM holds at once, as CUDA's cudaOccupancyMaxActiveBlocksPerMultiprocessor counts them.
//   registers of a warp    = roundup(32 r, unit)
//   warps of the SM        = q floor((registers of the SM / q) / registers of a warp), q sub-partitions
//   CTAs by registers      = floor(warps of the SM / warps of a CTA)
//   shared memory of a CTA = roundup(static + dynamic + reserved, unit)
//   CTAs by shared memory  = floor(shared memory of the SM / shared memory of a CTA)
// and the SM's threads, CTA slots and named barriers. Source: cuda_occupancy.h of the CUDA toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interp/machine/device.h"

namespace tl::machine {

// The resources of one CTA.
struct CtaResources {
  std::int64_t threads = 0;
  std::int64_t registers_per_thread = 0;
  std::int64_t shared_bytes = 0;  // static and dynamic, without what the driver reserves
  std::int64_t barriers = 0;      // named barriers
};

struct OccupancyLimit {
  std::string resource;        // registers, shared memory, threads, CTA slots, barriers
  std::int64_t ctas = 0;       // that this resource alone allows; unlimited where it is not used
  std::int64_t used = 0;       // by a CTA, as it is allocated
  std::int64_t available = 0;  // of the SM
  std::string unit;            // bytes, registers, threads
};

struct Occupancy {
  std::int64_t ctas = 0;   // resident on an SM
  std::int64_t warps = 0;  // of them
  std::int64_t max_warps = 0;
  std::string limited_by;  // the resource of the smallest limit; "registers and threads" where two are equal
  std::vector<OccupancyLimit> limits;
  std::string why_none;  // ctas == 0: what a single CTA exceeds, with its values
  std::string fix;       // beside it
  double fraction() const { return max_warps ? static_cast<double>(warps) / static_cast<double>(max_warps) : 0; }
};

inline constexpr std::int64_t unlimited_ctas = INT32_MAX;

// Never throws for a kernel that does not fit: 0 CTAs, and why.
Occupancy occupancy_of(const CtaResources& cta, const Device& device);

}  // namespace tl::machine
