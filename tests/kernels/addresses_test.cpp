// Address runs of every kernel, compressed, against the accesses that an observer of the ordinary run is told of.
#include "interp/cpu/addresses.h"

#include <sstream>
#include <thread>

#include "interp/cpu/run.h"
#include "interp/trace/access_builder.h"
#include "kernels/problems/problem.h"
#include "tests/same_accesses.h"

using namespace tl;

namespace {

problems::Instance make(const std::string& kernel, const std::string& settings) {
  std::vector<std::string> arguments;
  std::istringstream in(settings);
  for (std::string word; in >> word;) arguments.push_back(word);
  const auto& p = problems::find(kernel);
  return p.make(problems::parse(p, arguments), 1);
}

trace::AccessRecord observed(const Launch& launch) {
  trace::AccessObserver observer;
  cpu::RunOptions options;
  options.observer = &observer;
  CHECK(cpu::run(launch, options).faults.empty());
  return observer.take();
}

void agrees(const std::string& kernel, const std::string& settings) {
  INFO(kernel << " " << settings);
  const ShapesOnly no_data;
  const auto hollow = make(kernel, settings);
  const auto filled = [&] {
    problems::Instance instance;
    std::thread([&] { instance = make(kernel, settings); }).join();  // a thread of its own is in no ShapesOnly
    return instance;
  }();
  for (std::size_t i = 0; i < filled.launches.size(); ++i) {
    const trace::AccessRecord addresses = cpu::record_accesses(hollow.launches[i]);
    CHECK(addresses.needed_values == "");
    CHECK(testing::difference(addresses, observed(filled.launches[i])) == "");
  }
}

}  // namespace

TEST_CASE("address runs: every kernel at its default settings makes the accesses of an ordinary run") {
  for (const auto& p : problems::all())
    if (!p.name.starts_with("copy_wrong") && p.name != "matmul_unmasked") agrees(p.name, "");
}

TEST_CASE("address runs: odd sizes and tails") {
  for (const char* kernel : {"matmul", "grouped_matmul", "lecture_matmul", "lecture_grouped_matmul",
                             "block_pointer_matmul", "transposed_matmul", "persistent_matmul"})
    for (const char* settings : {"m=97 n=61 k=331 bm=32 bn=16 bk=16", "m=64 n=64 k=16 bm=32 bn=32 bk=16",
                                 "m=33 n=65 k=129 bm=16 bn=64 bk=32", "m=1 n=1 k=513 bm=16 bn=16 bk=32"})
      agrees(kernel, settings);
  for (const char* settings : {"causal=true seq=512 bm=64 bn=32", "causal=false seq=1024 bm=128 bn=64",
                               "causal=true seq=1024 bm=128 bn=16 head_dim=16"})
    agrees("attention", settings);
  for (const char* settings : {"rows=5000 cols=3", "rows=1 cols=1", "rows=777 cols=1000"}) {
    agrees("softmax", settings);
    agrees("unfused_softmax", settings);
  }
  agrees("softmax", "rows=7 cols=1000 block=128");
  for (const char* kernel : {"add", "dropout", "dropout_with_mask", "copy", "sum"})
    for (const char* settings : {"n=1 block=16", "n=1000 block=64"}) agrees(kernel, settings);
  for (const char* settings : {"m=1 n=37", "m=97 n=101"}) agrees("transpose", settings);
}

TEST_CASE("address runs: 16384^3 is made and recorded without its tensors") {
  const ShapesOnly no_data;
  const auto instance = make("grouped_matmul", "m=16384 n=16384 k=16384 bm=128 bn=128 bk=64");
  CHECK_FALSE(instance.inputs[0].holds_data);
  const trace::AccessRecord r = cpu::record_accesses(instance.launches[0]);
  CHECK(r.programs.size() == 128 * 128);
  CHECK(testing::made_by(r, 5).size() == 2 * 256 + 1);
  double flops = 0;
  for (const auto& p : r.programs) flops += r.dot_flops(p);
  CHECK(flops == 2.0 * 16384 * 16384 * 16384);
}

TEST_CASE("address runs: a fault out of bounds is the one of an ordinary run") {
  const auto instance = make("copy_wrong_stride", "");
  const cpu::RunResult r = cpu::run(instance.launches[0]);
  if (r.faults.empty()) return;
  try {
    cpu::record_accesses(instance.launches[0]);
    FAIL("no fault");
  } catch (const FaultError& e) {
    CHECK(e.fault.headline == r.faults[0].headline);
    CHECK(e.fault.detail == r.faults[0].detail);
  }
}
