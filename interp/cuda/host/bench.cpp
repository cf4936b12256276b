#include "interp/cuda/host/bench.h"

#include <algorithm>
#include <functional>

#include "interp/cuda/host/cublas_peer.h"
#include "interp/cuda/host/loaded_kernel.h"
#include "interp/lang/stop_scope.h"

namespace tl::cuda {

namespace {

// Something to time: starts its work on the GPU's stream.
struct Work {
  std::string name;
  std::function<void()> start;
};

// Between repetitions, so that each finds its tensors in memory and not in L2.
class L2Flush {
 public:
  L2Flush(const Gpu& gpu, bool wanted) : gpu_(gpu), bytes_(wanted ? 2 * gpu.info.l2_bytes : 0) {
    if (bytes_) memory_ = Memory(gpu, bytes_, "the buffer that flushes L2");
  }
  void start() const {
    if (bytes_)
      gpu_.check(gpu_.api.cuMemsetD8Async(memory_.address(), 0, static_cast<std::size_t>(bytes_), gpu_.stream),
                 "flushing L2");
  }

 private:
  const Gpu& gpu_;
  std::int64_t bytes_;
  Memory memory_;
};

// Puts tensors back between repetitions: what a kernel adds to begins anew.
class Restoring {
 public:
  Restoring(const Gpu& gpu, const DeviceTensors& tensors, const std::vector<Tensor>& restored) : gpu_(gpu) {
    for (const Tensor& t : restored) {
      copies_.push_back({tensors.address(t), Memory(gpu, t.storage_bytes(), "a copy of \"" + t.name + "\""),
                         static_cast<std::size_t>(t.storage_bytes())});
      copy(copies_.back().memory.address(), copies_.back().tensor, copies_.back().bytes);
    }
  }
  void start() const {
    for (const Copy& c : copies_) copy(c.tensor, c.memory.address(), c.bytes);
  }

 private:
  struct Copy {
    CUdeviceptr tensor;
    Memory memory;
    std::size_t bytes;
  };
  void copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) const {
    gpu_.check(gpu_.api.cuMemcpyDtoDAsync(to, from, bytes, gpu_.stream), "putting a tensor back");
  }

  const Gpu& gpu_;
  std::vector<Copy> copies_;
};

// Many repetitions of some work, recorded once and replayed with no gap for the host between them.
class Graph {
 public:
  Graph(const Gpu& gpu, const Work& work, int repetitions) : gpu_(gpu) {
    gpu.check(gpu.api.cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "recording a graph");
    CUgraph graph = nullptr;
    try {
      for (int i = 0; i < repetitions; ++i) work.start();
    } catch (...) {
      gpu.api.cuStreamEndCapture(gpu.stream, &graph);
      throw;
    }
    gpu.check(gpu.api.cuStreamEndCapture(gpu.stream, &graph), "recording a graph");
    const CUresult result = gpu.api.cuGraphInstantiateWithFlags(&graph_, graph, 0);
    gpu.api.cuGraphDestroy(graph);
    gpu.check(result, "recording a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (graph_ && !gpu_.abandoned) gpu_.api.cuGraphExecDestroy(graph_);
  }
  void start() const { gpu_.check(gpu_.api.cuGraphLaunch(graph_, gpu_.stream), "replaying a graph"); }

 private:
  const Gpu& gpu_;
  CUgraphExec graph_ = nullptr;
};

class Timer {
 public:
  Timer(const Gpu& gpu, const BenchOptions& options, const Restoring& restoring)
      : gpu_(gpu), options_(options), restoring_(restoring), flush_(gpu, options.flush_l2) {}

  // Milliseconds of one repetition, once warm.
  double warm_up(const Work& work) const {
    const Event start(gpu_), end(gpu_);
    double best_ms = 0, total_ms = 0;
    for (int i = 0; i < 3 || (total_ms < options_.warmup_ms && i < options_.max_repetitions); ++i) {
      restoring_.start();
      flush_.start();
      start.record();
      work.start();
      end.record();
      gpu_.wait(work.name);
      const double ms = end.ms_since(start);
      best_ms = i == 0 ? ms : std::min(best_ms, ms);
      total_ms += ms;
    }
    return best_ms;
  }

  int repetitions_for(double ms) const {
    return std::clamp(static_cast<int>(options_.measure_ms / std::max(ms, 1e-4)), options_.min_repetitions,
                      options_.max_repetitions);
  }

  // A B A B ...: clocks fall under load, and fall for both sides. One list of milliseconds for each work.
  std::vector<std::vector<double>> interleave(const std::vector<Work>& works, int repetitions, double divisor,
                                              bool flush) const {
    std::vector<Event> events;
    events.reserve(works.size() * static_cast<std::size_t>(repetitions) * 2);
    for (int i = 0; i < repetitions; ++i)
      for (const auto& work : works) {
        restoring_.start();
        if (flush) flush_.start();
        events.emplace_back(gpu_).record();
        work.start();
        events.emplace_back(gpu_).record();
        if (is_stopped()) break;
      }
    gpu_.wait(works.front().name);
    std::vector<std::vector<double>> samples(works.size());
    for (std::size_t i = 0; i + 1 < events.size(); i += 2)
      samples[i / 2 % works.size()].push_back(events[i + 1].ms_since(events[i]) / divisor);
    return samples;
  }

 private:
  const Gpu& gpu_;
  const BenchOptions& options_;
  const Restoring& restoring_;
  L2Flush flush_;
};

struct PeerWork {
  Work work;
  std::shared_ptr<void> owner;  // of its tensors
};

PeerWork make_peer(const Gpu& gpu, const GemmPeer& shape) {
  const auto gemm = std::make_shared<CublasGemm>(gpu, shape);
  return {{gemm->name(), [gemm] { gemm->start(); }}, gemm};
}

PeerWork make_peer(const Gpu& gpu, const CopyPeer& copy) {
  const auto bytes = static_cast<std::int64_t>(copy.bytes / 2);
  if (bytes < 1) throw Error("a copy of no bytes is no peer", "choose larger sizes");
  struct Buffers {
    Memory from, to;
  };
  auto buffers = std::make_shared<Buffers>();
  buffers->from = random_memory(gpu, DType::uint8, bytes, 1, "the copy's source");
  buffers->to = Memory(gpu, bytes, "the copy's target");
  return {{"device copy",
           [&gpu, buffers, bytes] {
             gpu.check(gpu.api.cuMemcpyDtoDAsync(buffers->to.address(), buffers->from.address(),
                                                 static_cast<std::size_t>(bytes), gpu.stream),
                       "the device copy");
           }},
          buffers};
}

PeerWork make_peer(const Gpu&, std::monostate) { return {}; }

}  // namespace

BenchResult bench(std::span<const Launch> launches, const FactsOf& facts_of, const Peer& peer,
                  const BenchOptions& options) {
  const Gpu& gpu = the_gpu();
  const Target target{.arch = gpu.info.arch(), .generic = options.generic};
  BenchResult result;
  std::vector<LoadedKernel> kernels;
  for (const auto& launch : launches) {
    check_grid(launch);
    kernels.emplace_back(gpu, compile(launch, facts_of(launch), target));
    const auto& compiled = kernels.back().compiled();
    result.kernels.push_back(compiled);
    result.notes.insert(result.notes.end(), compiled->notes.begin(), compiled->notes.end());
  }
  const DeviceTensors tensors(gpu, launches, false);
  PeerWork beside;
  try {
    beside = std::visit([&](const auto& p) { return make_peer(gpu, p); }, peer);
  } catch (const Error& error) {
    result.notes.push_back(std::string(error.what()) + "; " + error.fix);
  }

  std::vector<Work> works = {{launches.empty() ? "nothing" : launches.front().kernel, [&] {
                                for (std::size_t i = 0; i < launches.size(); ++i)
                                  kernels[i].start(launches[i], tensors);
                              }}};
  if (beside.work.start) works.push_back(beside.work);
  const Restoring restoring(gpu, tensors, options.restored);
  const Timer timer(gpu, options, restoring);
  const double ms = timer.warm_up(works[0]);
  if (works.size() > 1) timer.warm_up(works[1]);

  std::vector<std::vector<double>> samples;
  result.replayed = options.restored.empty() && options.replays.value_or(ms * 1e3 < options.graph_below_us);
  if (result.replayed) {
    const int replays = 64;
    std::vector<std::unique_ptr<Graph>> graphs;
    std::vector<Work> replayed;
    for (const auto& work : works) {
      graphs.push_back(std::make_unique<Graph>(gpu, work, replays));
      replayed.push_back({work.name, [graph = graphs.back().get()] { graph->start(); }});
    }
    for (const auto& work : replayed) timer.warm_up(work);
    samples = timer.interleave(replayed, timer.repetitions_for(ms * replays), replays, false);
    result.method = "a graph of " + std::to_string(replays) + " repetitions, L2 warm";
  } else {
    samples = timer.interleave(works, timer.repetitions_for(ms), 1, options.flush_l2);
    result.method = options.flush_l2 ? "L2 flushed before each repetition" : "L2 warm";
  }
  result.samples_ms = std::move(samples[0]);
  if (works.size() > 1) {
    result.peer_samples_ms = std::move(samples[1]);
    result.peer = works[1].name;
  }
  return result;
}

}  // namespace tl::cuda
