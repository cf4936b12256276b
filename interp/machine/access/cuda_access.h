// The requests that warps make for one access of a kernel's text on CUDA: how wide, by which lanes, in which order.
// interp/cuda/device, memory.h, block_pointer.h, pipeline.h and atomic.h, as run-time values.
#pragma once

#include <functional>
#include <memory>

#include "interp/machine/access/cuda_type.h"

namespace tl::machine {

// How an access leaves the SM.
enum class Path : unsigned char {
  lsu,       // ld.global, st.global
  atomic,    // red.global, atom.global
  cp_async,  // copies into shared memory, past the registers
  tma,       // boxes, by the copy engine
};
const char* name_of(Path path);

struct AccessPlan {
  Path path = Path::lsu;
  bool is_store = false;
  int element_bytes = 4;
  Sizes shape;
  // One access of a thread: `elements` neighbours along `axis`, the registers of `vector_bits` apart.
  ThreadLayout layout;
  int elements = 1, axis = -1;
  bool all_holders = true;  // else only the first of the threads that hold an element asks
  bool is_uniform = true;   // every wide access is whole or off: the mask's bounds fall between them
  int repeats = 1;          // a scalar's load is made by every warp
  bool one_thread = false;  // a scalar's store
  bool fills = false;       // cp.async: a lane that is off asks for nothing, but takes part
  int box_cols = 0;         // tma: columns of a box
  std::shared_ptr<const AccessPlan> unaligned;  // in its stead where the tile's first byte is no multiple of 16
};

bool same_requests(const AccessPlan& a, const AccessPlan& b);

// The plan of a memory op whose pointer, and mask if any, have these types.
AccessPlan plan_access(const trace::OpEvent& event, const CudaType& pointer, const CudaType* mask,
                       const CudaConfig& config);
// For a block pointer's or a descriptor's tile.
AccessPlan plan_tile(const trace::OpEvent& event, DType dtype, bool is_descriptor, const CudaConfig& config);
// For comparison: lane i of warp w holds element 32 w + i, and asks for it alone.
AccessPlan plan_one_lane_an_element(trace::AccessKind kind, std::span<const std::int64_t> shape, int element_bytes);

// Whether a load at affine addresses is copied to shared memory ahead of its use, by warps that do nothing else.
bool goes_through_ring(const trace::OpEvent& event, const CudaConfig& config);

// How threads share an affine block of pointers, or one of a formula.
rules::Access access_of(const CudaType& pointer, const CudaConfig& config);
ThreadLayout access_layout(const CudaType& pointer, const CudaConfig& config);

// One instruction of one warp, lanes that ask: where, from the tensor's first byte on.
struct Request {
  int warp = 0;
  int bytes = 4;                           // a lane
  std::uint32_t active = 0;                // lanes that ask
  std::array<std::int64_t, 32> address{};  // of each of them
};

// Every request of an access, in any order.
void for_each_request(const AccessPlan& plan, const trace::Access& access,
                      const std::function<void(const Request&)>& visit);

}  // namespace tl::machine
