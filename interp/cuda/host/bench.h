// Times launches on the GPU, interleaved with a peer: cuBLAS or a device copy.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "interp/cuda/host/compile.h"
#include "interp/lang/launch.h"

namespace tl::cuda {

// Row-major C[m, n] = A[m, k] B, B stored n x k or k x n, f32 accumulation, by cuBLAS on tensors of its own.
// in: f16, bf16 or f32; out: the same or f32. f32 inputs multiply in tf32 unless `ieee`.
struct GemmPeer {
  std::int64_t m = 0, n = 0, k = 0;
  bool b_is_nk = false;
  DType in = DType::float16, out = DType::float16;
  bool ieee = false;
};
// A device copy that reads bytes / 2 and writes bytes / 2.
struct CopyPeer {
  double bytes = 0;
};
using Peer = std::variant<std::monostate, CopyPeer, GemmPeer>;

struct BenchOptions {
  double warmup_ms = 25, measure_ms = 200;  // of each side; at least `min_repetitions` are measured
  int min_repetitions = 10, max_repetitions = 1000;
  bool flush_l2 = true;              // write twice the L2's size between repetitions
  double graph_below_us = 10;        // a kernel faster than this is timed by replaying a graph of many, with a warm L2
  std::optional<bool> replays = {};  // whether it is, if known: kernels to be compared are timed alike
  bool generic = false;
  std::vector<Tensor> restored = {};  // before each repetition, to what the host holds; then no graph is replayed
};

struct BenchResult {
  std::vector<double> samples_ms, peer_samples_ms;  // one a repetition, in the order taken; peer's empty without one
  std::string peer;                                 // cuBLAS 13.1, device copy, or empty
  std::string method;     // L2 flushed before each repetition; or: graph of 64 launches, L2 warm
  bool replayed = false;  // the latter
  std::vector<std::shared_ptr<const Compiled>> kernels;
  std::vector<std::string> notes;  // why the peer is missing, a fallback
};

// One repetition runs all launches, on tensors that stay on the GPU. The host's tensors are read, never written.
// Throws as `run` does, and FaultError when a kernel fails.
BenchResult bench(std::span<const Launch> launches, const FactsOf& facts_of, const Peer& peer = {},
                  const BenchOptions& options = {});

}  // namespace tl::cuda
