#include "interp/run/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "interp/cpu/facts.h"
#include "interp/cuda/host/bench.h"
#include "interp/lang/error.h"
#include "interp/lang/stop_scope.h"
#include "interp/run/execute.h"
#include "interp/run/interrupt.h"
#include "interp/trace/recorder.h"

namespace tl::run {

using namespace report;

namespace {

constexpr int fewest = 5, most = 2000;
constexpr std::int64_t verified_elems = 64;  // enough to see that the right thing is timed, cheap at any size

double now_ms() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(clock::now().time_since_epoch()).count();
}

template <class Work>
double timed(const Work& work) {
  const double begin = now_ms();
  work();
  return now_ms() - begin;
}

void run_once(const problems::Instance& instance, const cpu::RunOptions& options) {
  Execution e = run_on_cpu(instance, options, Arithmetic("fp32"));
  if (!e.ok() && !e.was_stopped()) throw FaultError(e.faults.front());
}

// The cost of `tilescope debug`: the values of one program recorded, the others unobserved.
void run_recorded(const problems::Instance& instance, cpu::RunOptions options) {
  trace::RecorderOptions recording;
  recording.values_programs = 1;
  recording.others = trace::Keep::nothing;
  trace::Recorder recorder(recording);
  options.observer = &recorder;
  run_once(instance, options);
}

void verify(const problems::Instance& instance, Point& point, problems::Tf32 tf32 = problems::Tf32::rounded) {
  const problems::Verdict verdict = problems::check(instance, instance.outputs, verified_elems, tf32);
  point.is_right = verdict.ok;
  point.checked = verdict.checked;
  for (const Tensor& t : instance.outputs) point.elems += t.elems();
}

// `restores`: each repetition begins from the outputs' first values, as the kernel reads them.
void measure_on_cpu(const problems::Instance& instance, bool restores, const MeasureOptions& o, Point& point) {
  require_built_in_text(instance);
  cpu::RunOptions options;
  options.threads = o.threads;
  options.checks.hints = false;
  options.stop = &stop_requested();
  const auto own = [&] { run_once(instance, options); };
  const auto timed_own = [&] {
    if (restores) instance.reset();
    return timed(own);
  };
  // As many threads as the grid has programs: else the time of a peer on a small grid would be that of starting
  // threads.
  const int peer_threads = static_cast<int>(std::min<std::int64_t>(thread_count(o.threads), programs_of(instance)));
  const auto peer = [&] { o.recording ? run_recorded(instance, options) : instance.cpu_peer.run(peer_threads); };
  const bool has_peer = o.recording || instance.cpu_peer.run;

  own();  // also the run that is verified
  if (!stop_requested()) verify(instance, point);
  const double first = timed_own();
  const double peer_first = has_peer ? (peer(), timed(peer)) : 0;
  // Short kernels repeat often, long ones at least `fewest` times.
  const int repetitions =
      std::clamp(static_cast<int>(o.measure_ms / std::max({first, peer_first, 1e-4})), fewest, most);
  std::vector<double> own_ms, peer_ms;
  for (int i = 0; i < repetitions && !stop_requested(); ++i) {
    const double t = timed_own();
    if (stop_requested()) break;  // a run cut short is no measurement
    own_ms.push_back(t);
    if (has_peer) peer_ms.push_back(timed(peer));
  }
  point.own = statistics_of(own_ms);
  point.peer = statistics_of(peer_ms);
  point.peer_name = o.recording ? "one program recorded" : has_peer ? instance.cpu_peer.name : "";
  if (!has_peer && !instance.cpu_peer.missing.empty()) point.notes.push_back(instance.cpu_peer.missing);
  point.method = fmt::format("{} taken in turn, caches warm", plural(point.own.count, "repetition"));
}

cuda::Peer peer_of(const problems::CudaPeer& p) {
  using Kind = problems::CudaPeer::Kind;
  if (p.kind == Kind::copy) return cuda::CopyPeer{p.bytes};
  if (p.kind == Kind::gemm)
    return cuda::GemmPeer{.m = p.m, .n = p.n, .k = p.k, .b_is_nk = p.b_is_nk, .in = p.in, .out = p.out, .ieee = p.ieee};
  return {};
}

void measure_on_cuda(const problems::Instance& instance, bool restores, const MeasureOptions& o, Point& point) {
  cuda::BenchOptions options;
  options.measure_ms = o.measure_ms;
  options.generic = o.generic;
  Execution e = run_on_cuda(instance, o.generic);
  if (!e.ok() && !e.was_stopped()) throw FaultError(e.faults.front());
  verify(instance, point, e.tf32);
  instance.reset();
  if (restores) options.restored = instance.outputs;
  const StopScope scope(&stop_requested());
  cuda::BenchResult r = cuda::bench(instance.launches, cpu::facts_of, peer_of(instance.cuda_peer), options);
  point.own = statistics_of(r.samples_ms);
  point.peer = statistics_of(r.peer_samples_ms);
  point.peer_name = r.peer;
  point.method = r.method;
  point.notes = std::move(r.notes);
}

nlohmann::ordered_json statistics_json(const Statistics& s) {
  return {{"median_ms", s.median}, {"p20_ms", s.p20}, {"p80_ms", s.p80}, {"min_ms", s.min}, {"repetitions", s.count}};
}

Statistics statistics_of_json(const nlohmann::json& j) {
  return {j.at("repetitions"), j.at("median_ms"), j.at("p20_ms"), j.at("p80_ms"), j.at("min_ms")};
}

}  // namespace

Point measure(const problems::Problem& problem, const problems::Settings& settings, const MeasureOptions& o) {
  const problems::Instance instance = make_instance(problem, settings, o.seed);
  Point point{.kernel = problem.name,
              .settings = settings_json(problem, settings),
              .bytes = instance.bytes,
              .flops = instance.flops};
  const bool restores = problem.tuning.resets_outputs;
  if (o.device == Device::cuda) measure_on_cuda(instance, restores, o, point);
  else measure_on_cpu(instance, restores, o, point);
  if (instance.finish)
    point.notes.push_back(fmt::format("nothing is written to a file here: `tilescope run {}` does", problem.name));
  return point;
}

nlohmann::ordered_json point_json(const Point& p) {
  nlohmann::ordered_json j{{"kernel", p.kernel}, {"settings", p.settings}, {"bytes", p.bytes}, {"flops", p.flops}};
  j.update(statistics_json(p.own));
  j["gb_per_s"] = p.gb_per_s();
  j["tflop_per_s"] = p.tflop_per_s();
  if (p.has_peer()) {
    j["peer"] = statistics_json(p.peer);
    j["peer"]["name"] = p.peer_name;
    j["ratio"] = p.ratio();
  }
  j["right"] = p.is_right;
  j["checked"] = p.checked;
  if (p.elems) j["elements"] = p.elems;
  j["method"] = p.method;
  if (!p.notes.empty()) j["notes"] = p.notes;
  return j;
}

Point point_of_json(const nlohmann::json& j) {
  Point p{.kernel = j.at("kernel"), .settings = j.at("settings"), .bytes = j.at("bytes"), .flops = j.at("flops")};
  p.own = statistics_of_json(j);
  p.is_right = j.at("right");
  p.checked = j.value("checked", std::int64_t{0});
  p.elems = j.value("elements", std::int64_t{0});
  p.method = j.at("method");
  if (j.contains("notes")) p.notes = j.at("notes").get<std::vector<std::string>>();
  if (!j.contains("peer")) return p;
  p.peer = statistics_of_json(j.at("peer"));
  p.peer_name = j.at("peer").at("name");
  return p;
}

}  // namespace tl::run
