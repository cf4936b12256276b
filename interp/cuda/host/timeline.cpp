#include "interp/cuda/host/timeline.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "interp/cuda/host/loaded_kernel.h"
#include "interp/lang/timeline.h"

namespace tl::cuda {

namespace {

constexpr std::int64_t most_programs = 1 << 24;
constexpr int most_stretches = 1 << 20;

// The record on the GPU, with what it points to.
class DeviceRecord {
 public:
  DeviceRecord(const Gpu& gpu, std::int64_t programs)
      : gpu_(gpu),
        count_(static_cast<std::size_t>(programs)),
        programs_(gpu, programs * static_cast<std::int64_t>(sizeof(ProgramTimes)), "the timeline"),
        stretches_(gpu, most_stretches * static_cast<std::int64_t>(sizeof(StretchTimes)), "the timeline"),
        record_(gpu, sizeof(TimelineRecord), "the timeline") {}

  CUdeviceptr address() const { return record_.address(); }
  void clear() const {
    const std::vector<ProgramTimes> none(count_, {std::numeric_limits<unsigned long long>::max(), 0, -1});
    write(programs_, none.data(), none.size());
    const TimelineRecord record{reinterpret_cast<ProgramTimes*>(programs_.address()),
                                reinterpret_cast<StretchTimes*>(stretches_.address()), most_stretches, 0};
    write(record_, &record, 1);
  }
  std::vector<ProgramTimes> programs() const { return read<ProgramTimes>(programs_, count_); }
  int stretch_count() const { return read<TimelineRecord>(record_, 1).front().stretch_count; }
  std::vector<StretchTimes> stretches(int count) const {
    return read<StretchTimes>(stretches_, static_cast<std::size_t>(count));
  }

 private:
  template <class T>
  void write(const Memory& to, const T* from, std::size_t count) const {
    gpu_.check(gpu_.api.cuMemcpyHtoD(to.address(), from, count * sizeof(T)), "clearing the timeline");
  }
  template <class T>
  std::vector<T> read(const Memory& from, std::size_t count) const {
    std::vector<T> values(count);
    if (count > 0)
      gpu_.check(gpu_.api.cuMemcpyDtoH(values.data(), from.address(), count * sizeof(T)), "reading the timeline");
    return values;
  }
  const Gpu& gpu_;
  std::size_t count_;
  Memory programs_, stretches_, record_;
};

double microseconds(unsigned long long from, unsigned long long to) { return static_cast<double>(to - from) * 1e-3; }

double smallest_step_us(std::vector<ProgramTimes> programs) {
  std::vector<unsigned long long> times;
  for (const auto& p : programs) {
    times.push_back(p.start);
    times.push_back(p.end);
  }
  std::ranges::sort(times);
  unsigned long long step = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const auto difference = times[i] - times[i - 1]; difference > 0 && (step == 0 || difference < step))
      step = difference;
  return static_cast<double>(step) * 1e-3;
}

// Keeps the innermost: a program's loop in which none of its others ran.
void keep_innermost(std::vector<MeasuredStretch>& stretches) {
  const auto in_order = [](const MeasuredStretch& s) { return std::tuple(s.program, s.start_us, -s.end_us); };
  std::ranges::sort(stretches, {}, in_order);
  std::vector<MeasuredStretch> kept;
  for (std::size_t i = 0; i < stretches.size(); ++i)
    if (i + 1 == stretches.size() || stretches[i + 1].program != stretches[i].program ||
        stretches[i + 1].start_us >= stretches[i].end_us)
      kept.push_back(stretches[i]);
  stretches = std::move(kept);
}

}  // namespace

MeasuredTimeline measure_timeline(const Launch& launch, const rules::KernelFacts& facts) {
  const Gpu& gpu = the_gpu();
  check_grid(launch);
  const std::int64_t programs = launch.grid.programs();
  if (programs > most_programs)
    throw Error(
        std::to_string(programs) + " programs are more than a timeline keeps (" + std::to_string(most_programs) + ")",
        "choose smaller sizes or larger blocks");
  const LoadedKernel kernel(gpu, compile(launch, facts, {.arch = gpu.info.arch(), .timeline = true}));
  const DeviceTensors tensors(gpu, std::span(&launch, 1), false);
  const DeviceRecord record(gpu, programs);
  kernel.set_pointer(timeline_symbol, record.address());
  const Memory flush(gpu, 2 * gpu.info.l2_bytes, "the buffer that flushes L2");
  const Event start(gpu), end(gpu);
  for (int i = 0; i < 2; ++i) {
    record.clear();
    gpu.check(gpu.api.cuMemsetD8Async(flush.address(), 0, static_cast<std::size_t>(2 * gpu.info.l2_bytes), gpu.stream),
              "flushing L2");
    gpu.wait("flushing L2");
    start.record();
    kernel.start(launch, tensors);
    end.record();
    gpu.wait(launch.kernel);
  }

  const auto times = record.programs();
  const auto first = std::ranges::min(times, {}, &ProgramTimes::start).start;
  MeasuredTimeline t;
  t.facts = {
      launch.kernel,           launch.grid, kernel.compiled()->resources, kernel.programs_per_sm(), end.ms_since(start),
      kernel.compiled()->notes};
  for (const auto& p : times) {
    t.programs.push_back({p.sm, microseconds(first, p.start), microseconds(first, p.end)});
    t.total_us = std::max(t.total_us, t.programs.back().end_us);
  }
  const int count = record.stretch_count();
  t.stretches_cut = count > most_stretches;
  for (const auto& s : record.stretches(std::min(count, most_stretches)))
    t.stretches.push_back({s.program, microseconds(first, s.start), microseconds(first, s.end)});
  keep_innermost(t.stretches);
  std::ranges::sort(t.stretches, {}, &MeasuredStretch::start_us);
  t.tick_us = smallest_step_us(times);
  return t;
}

}  // namespace tl::cuda
