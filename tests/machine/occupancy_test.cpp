// Occupancy against CUDA's own calculator, cuda_occupancy.h, over a sweep; and against figures of its tables without a
// toolkit.
#include "interp/machine/limits/occupancy.h"

#include <doctest/doctest.h>
#ifdef CUDA_OCCUPANCY_HEADER
#include CUDA_OCCUPANCY_HEADER
#endif

using namespace tl::machine;

TEST_CASE("occupancy: Triton's 128x128x64 matmul, 118 registers and 96 KB, runs twice on an H200's SM") {
  const Occupancy o =
      occupancy_of({.threads = 256, .registers_per_thread = 118, .shared_bytes = 98304}, find_device("h200"));
  CHECK(o.ctas == 2);
  CHECK(o.limited_by == "registers and shared memory");  // 65536 / (8 x 3840) = 2 and 233472 / (98304 + 1024) = 2
  CHECK(o.warps == 16);
}

TEST_CASE("occupancy: shared memory limits, and the driver's 1 KB counts") {
  const Device h200 = find_device("h200");
  CHECK(occupancy_of({.threads = 128, .registers_per_thread = 32, .shared_bytes = 115712}, h200).ctas == 2);
  CHECK(occupancy_of({.threads = 128, .registers_per_thread = 32, .shared_bytes = 115713}, h200).ctas == 1);
  CHECK(occupancy_of({.threads = 128, .registers_per_thread = 32, .shared_bytes = 115713}, h200).limited_by ==
        "shared memory");
}

TEST_CASE("occupancy: a CTA that cannot run says which resource it exceeds") {
  const Device t4 = find_device("t4");
  const Occupancy o = occupancy_of({.threads = 128, .registers_per_thread = 32, .shared_bytes = 98304}, t4);
  CHECK(o.ctas == 0);
  CHECK(o.why_none == "a CTA takes 98304 bytes of shared memory, the device allows 65536");
  CHECK(occupancy_of({.threads = 1024, .registers_per_thread = 128, .shared_bytes = 0}, t4).why_none ==
        "a CTA takes 131072 registers, the device allows 65536");
}

TEST_CASE("occupancy: where no CTA fits there is always a reason, and warps that are counted up are told") {
  Device d = find_device("h200");
  const Occupancy thirteen =
      occupancy_of({.threads = 13 * 32, .registers_per_thread = 168}, d);  // 16 warps of 168 x 32 registers
  CHECK(thirteen.why_none ==
        "a CTA takes 86016 registers, the device allows 65536; its 13 warps count as 16, as many on each quarter of "
        "the SM");
  d.threads_per_sm = 64;
  CHECK(occupancy_of({.threads = 128, .registers_per_thread = 32}, d).why_none ==
        "a CTA takes 128 threads, the SM has 64");
}

#ifdef CUDA_OCCUPANCY_HEADER
TEST_CASE("occupancy: equals cuda_occupancy.h for every device over threads, registers, shared memory and barriers") {
  for (const std::string& name : device_names()) {
    const Device d = find_device(name);
    cudaOccDeviceProp p{};
    p.computeMajor = d.cc_major;
    p.computeMinor = d.cc_minor;
    p.maxThreadsPerBlock = static_cast<int>(d.threads_per_cta);
    p.maxThreadsPerMultiprocessor = static_cast<int>(d.threads_per_sm);
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.numSms = static_cast<int>(d.sms);
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerBlockOptin = static_cast<size_t>(d.shared_bytes_per_cta);
    p.sharedMemPerMultiprocessor = static_cast<size_t>(d.shared_bytes_per_sm);
    p.reservedSharedMemPerBlock = static_cast<size_t>(d.shared_reserved_bytes);
    const cudaOccDeviceState state{};
    for (int threads = 32; threads <= 1024; threads += 32)
      for (int registers :
           {8, 16, 24, 32, 40, 41, 48, 56, 64, 65, 72, 80, 90, 96, 118, 128, 129, 152, 168, 169, 184, 200, 232, 255})
        for (int shared : {0, 1, 1024, 4096 + 17, 16384, 49152, 65536, 98304, 115712, 166912, 200000, 232448, 232449})
          for (int barriers : {0, 3, 16}) {
            cudaOccFuncAttributes a{};
            a.maxThreadsPerBlock = 1024;
            a.numRegs = registers;
            a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            a.maxDynamicSharedSizeBytes = static_cast<size_t>(shared);
            a.numBlockBarriers = barriers;
            cudaOccResult r{};
            REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &state, threads, static_cast<size_t>(shared)) ==
                    CUDA_OCC_SUCCESS);
            const Occupancy o = occupancy_of({threads, registers, shared, barriers}, d);
            if (o.ctas != r.activeBlocksPerMultiprocessor)
              FAIL(name << " " << threads << " threads, " << registers << " registers, " << shared << " bytes, "
                        << barriers << " barriers: " << o.ctas << ", CUDA says " << r.activeBlocksPerMultiprocessor);
          }
  }
}
#endif
