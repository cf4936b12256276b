// Every kernel on the interpreter against its double reference: defaults, odd and prime sizes, tails, every dtype,
// every order of programs.
#include "interp/cpu/run.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/problems/problem.h"

using namespace tl;
using problems::Instance;

namespace {

Instance instance_of(const std::string& kernel, const std::vector<std::string>& settings) {
  const problems::Problem& p = problems::find(kernel);
  return p.make(problems::parse(p, settings), 1);
}

std::vector<Fault> run(const Instance& instance, const cpu::RunOptions& options = {}) {
  for (const Launch& launch : instance.launches) {
    const cpu::RunResult result = cpu::run(launch, options);
    if (!result.faults.empty()) return result.faults;
  }
  return {};
}

// Every setting of `settings` is a space-separated list of name=value.
void passes(const std::string& kernel, const std::string& settings, const cpu::RunOptions& options = {}) {
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < settings.size();) {
    const std::size_t end = std::min(settings.find(' ', at), settings.size());
    arguments.push_back(settings.substr(at, end - at));
    at = end + 1;
  }
  INFO(kernel << " " << settings);
  const Instance instance = instance_of(kernel, arguments);
  const std::vector<Fault> faults = run(instance, options);
  if (!faults.empty()) FAIL(faults.front().headline << ": " << faults.front().detail);
  const problems::Verdict verdict = problems::check(instance, instance.outputs);
  if (verdict.first)
    FAIL_CHECK("output " << verdict.first->output << "[" << verdict.first->offset << "] is " << verdict.first->got
                         << ", not " << verdict.first->expected << "; " << verdict.wrong << " of " << verdict.checked
                         << " wrong, by up to " << verdict.max_abs_error);
}

std::vector<double> values(const Tensor& t) {
  std::vector<double> v;
  for (std::int64_t i = 0; i < t.elems(); ++i) v.push_back(get(t, i));
  return v;
}

}  // namespace

TEST_CASE("kernels: each is right at its default settings, with every check on") {
  cpu::RunOptions options;
  options.order = cpu::Order::sequential;
  options.checks = {.uninitialized = true, .race = true, .undefined_lane = true, .hints = true, .nan = true};
  for (const problems::Problem& p : problems::all())
    if (!instance_of(p.name, {}).wrong_on_purpose) passes(p.name, "", options);
}

namespace {

// Notes every op that takes or gives more or less than the manifest says.
struct ManifestWatch : trace::Observer {
  std::vector<std::string> wrong;
  std::set<Op> seen;
  trace::Keep program_begins(ProgramId id) override {
    return id.x + id.y + id.z == 0 ? trace::Keep::values : trace::Keep::nothing;
  }
  void op(const trace::OpEvent& e) override {
    const OpInfo& info = info_of(e.op);
    seen.insert(e.op);
    if (static_cast<int>(e.operands.size()) > info.operands || static_cast<int>(e.results.size()) != info.results ||
        (e.access != nullptr) != (info.family == OpFamily::memory))
      wrong.push_back(std::string(info.name) + " in " + e.site.file + ":" + std::to_string(e.site.line));
  }
};

}  // namespace

TEST_CASE("kernels: every op takes and gives as many values as the manifest says") {
  ManifestWatch watch;
  cpu::RunOptions options;
  options.observer = &watch;
  for (const problems::Problem& p : problems::all()) {
    INFO(p.name);
    const Instance instance = instance_of(p.name, {});
    if (!instance.wrong_on_purpose) run(instance, options);
  }
  CHECK(watch.wrong == std::vector<std::string>());
  CHECK(watch.seen.size() > 30);
}

TEST_CASE("elementwise kernels: one element, exact multiples, tails, primes") {
  for (const char* n : {"n=1", "n=31", "n=32", "n=33", "n=1009"})
    for (const char* block : {" block=1", " block=32", " block=2048"})
      for (const char* kernel : {"copy", "add", "sum", "dropout", "dropout_with_mask"})
        passes(kernel, std::string(n) + block);
}

TEST_CASE("dropout: p and seed at their ends") {
  for (const char* settings : {"p=0", "p=0.999", "p=0.1 seed=0", "p=0.9 seed=2147483647"}) {
    passes("dropout", settings);
    passes("dropout_with_mask", settings);
  }
}

TEST_CASE("transpose: odd and prime shapes, a row, a column") {
  for (const char* settings : {"m=1 n=1", "m=1 n=37", "m=37 n=1", "m=33 n=31", "m=97 n=101"})
    passes("transpose", settings);
}

TEST_CASE("softmax, unfused_softmax and layernorm: one column, powers of two, the tutorial's 781, primes") {
  for (const char* settings :
       {"rows=1 cols=1", "rows=3 cols=2", "rows=7 cols=64", "rows=5 cols=65", "rows=13 cols=781", "rows=2 cols=4099"}) {
    passes("softmax", settings);
    passes("unfused_softmax", settings);
    for (const char* dtype : {" dtype=f16", " dtype=bf16", " dtype=f32"})
      if (std::string(settings) != "rows=1 cols=1") passes("layernorm", std::string(settings) + dtype);
  }
}

TEST_CASE("softmax: rows wider than a block, with tails of one column and of all but one") {
  for (const char* settings : {"rows=3 cols=65 block=64", "rows=5 cols=127 block=64", "rows=2 cols=1000 block=16",
                               "rows=7 cols=200 block=128 programs=3", "rows=2 cols=32769", "rows=1 cols=131072"})
    passes("softmax", settings);
}

TEST_CASE("softmax: more rows than resident programs") { passes("softmax", "rows=3001 cols=17"); }

TEST_CASE("matmuls: every dtype on shapes that no block divides") {
  for (const char* kernel : {"matmul", "grouped_matmul", "lecture_matmul", "lecture_grouped_matmul",
                             "block_pointer_matmul", "transposed_matmul", "persistent_matmul"})
    for (const char* dtype : {" dtype=f16", " dtype=bf16", " dtype=f32", " dtype=f8e4nv", " dtype=f8e5"}) {
      passes(kernel, std::string("m=37 n=41 k=53 bm=16 bn=16 bk=16 group_size=2") + dtype);
      passes(kernel, std::string("m=64 n=32 k=128 bm=32 bn=16 bk=32") + dtype);
    }
}

TEST_CASE("matmuls: smaller than a block, and the lecture's 3 x 4 by 4 x 5") {
  for (const char* kernel : {"matmul", "grouped_matmul", "lecture_matmul", "lecture_grouped_matmul",
                             "block_pointer_matmul", "transposed_matmul", "persistent_matmul"}) {
    passes(kernel, "m=3 n=5 k=4 bm=16 bn=16 bk=16");
    passes(kernel, "m=1 n=1 k=1 bm=16 bn=16 bk=16");
  }
}

TEST_CASE("grouped kernels: groups that do not divide the rows of blocks") {
  for (const char* group : {"group_size=1", "group_size=3", "group_size=5", "group_size=100"})
    for (const char* kernel : {"grouped_matmul", "lecture_grouped_matmul", "persistent_matmul"})
      passes(kernel, std::string("m=112 n=80 k=32 bm=16 bn=16 bk=32 ") + group);
}

TEST_CASE("persistent_matmul: B stored n x k and k x n, more tiles than programs") {
  for (const char* b : {"b=nk", "b=kn"}) {
    passes("persistent_matmul", std::string("m=37 n=41 k=53 bm=16 bn=16 bk=16 ") + b);
    passes("persistent_matmul", std::string("m=250 n=250 k=16 bm=16 bn=16 bk=16 ") + b);
  }
}

TEST_CASE("attention: full and causal, in every dtype, over head sizes and blocks") {
  for (const char* causal : {"causal=true ", "causal=false "})
    for (const char* shape :
         {"seq=64 head_dim=16 bm=32 bn=16", "seq=37 head_dim=16 bm=16 bn=16 heads=3", "seq=1 head_dim=16 bm=16 bn=16",
          "seq=96 head_dim=32 bm=32 bn=32 heads=3 batch=2", "seq=128 head_dim=128 bm=128 bn=64 heads=1"})
      for (const char* dtype : {" dtype=f16", " dtype=bf16", " dtype=f32", " dtype=f8e4nv", " dtype=f8e5"})
        passes("attention", std::string(causal) + shape + dtype);
}

TEST_CASE("attention_backward: full and causal, over head sizes and blocks, of inputs of either sign") {
  for (const char* causal : {"causal=true ", "causal=false "})
    for (const char* shape :
         {"seq=64 head_dim=16 bm=16 bn=32", "seq=37 head_dim=16 bm=16 bn=16 heads=3", "seq=1 head_dim=16 bm=16 bn=16",
          "seq=200 head_dim=32 bm=32 bn=32 batch=2 inputs=signs", "seq=130 head_dim=128 bm=64 bn=128 heads=1"})
      for (const char* dtype : {" dtype=f16", " dtype=bf16"})
        passes("attention_backward", std::string(causal) + shape + dtype);
}

TEST_CASE("grey: blocks that do not divide the picture") {
  for (const char* settings : {"block_h=32 block_w=32", "block_h=64 block_w=16", "block_h=1 block_w=256"})
    passes("grey", settings);
}

TEST_CASE("swizzle: the lecture's figure, and any other shape") {
  const Instance instance = instance_of("swizzle", {"blocks_m=5", "blocks_n=4", "group_size=3"});
  CHECK(run(instance).empty());
  CHECK(values(instance.outputs[0]) ==
        std::vector<double>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 12, 14, 16, 18, 13, 15, 17, 19});
  for (const char* settings : {"blocks_m=1 blocks_n=1 group_size=1", "blocks_m=7 blocks_n=3 group_size=4",
                               "blocks_m=2 blocks_n=9 group_size=8"})
    passes("swizzle", settings);
}

TEST_CASE("the order of programs does not change what a right kernel gives") {
  for (cpu::Order order : {cpu::Order::sequential, cpu::Order::reversed, cpu::Order::shuffled, cpu::Order::parallel}) {
    cpu::RunOptions options;
    options.order = order;
    options.seed = 7;
    for (const char* kernel : {"copy", "sum", "grouped_matmul", "softmax", "attention"}) passes(kernel, "", options);
  }
}

TEST_CASE("the lecture's wrong copies give what the lecture shows, and the verdict sees it") {
  for (const char* kernel : {"copy_wrong_offsets", "copy_wrong_stride"}) {
    const Instance instance = instance_of(kernel, {"n=6", "block=2"});
    CHECK(instance.wrong_on_purpose);
    CHECK(run(instance).empty());
    CHECK(values(instance.outputs[0]) == std::vector<double>{1, 2, 0, 0, 0, 0});
    const problems::Verdict verdict = problems::check(instance, instance.outputs);
    CHECK_FALSE(verdict.ok);
    CHECK(verdict.wrong == 4);
    CHECK(verdict.first->offset == 2);
  }
}

TEST_CASE("copy_wrong_offsets: the race check names two programs on one element") {
  cpu::RunOptions options;
  options.order = cpu::Order::sequential;
  options.checks.race = true;
  const std::vector<Fault> faults = run(instance_of("copy_wrong_offsets", {"n=6", "block=2"}), options);
  REQUIRE_FALSE(faults.empty());
  CHECK(faults.front().kind == FaultKind::race);
  CHECK(faults.front().tensor == "z");
}

TEST_CASE("matmul_unmasked: reads out of bounds on the lecture's example, and is right where blocks fit") {
  const std::vector<Fault> faults = run(instance_of("matmul_unmasked", {}));
  REQUIRE_FALSE(faults.empty());
  CHECK(faults.front().kind == FaultKind::out_of_bounds);
  CHECK(faults.front().tensor == "a");
  passes("matmul_unmasked", "m=32 n=48 k=16");
}

TEST_CASE("kernels: each is right for inputs of ones, zeros and signs, which make its sums exact") {
  for (const problems::Problem& p : problems::all())
    for (const char* inputs : {"ones", "zeros", "signs"})
      if (!instance_of(p.name, {}).wrong_on_purpose) passes(p.name, std::string("inputs=") + inputs);
}

TEST_CASE("kernels: what a kernel casts to where it stores may be any float") {
  for (const char* out : {"f16", "bf16", "f32", "f8e4nv", "f8e5"})
    for (const char* kernel : {"matmul", "grouped_matmul", "lecture_matmul", "transposed_matmul", "persistent_matmul",
                               "layernorm", "attention"})
      passes(kernel, std::string("out=") + out);
  passes("matmul", "dtype=f8e5 out=f32 m=33 n=17 k=70");
}

TEST_CASE("kernels: persistent programs may be any number, a picture of any size") {
  for (const char* programs : {"1", "3", "1000"}) {
    passes("softmax", std::string("rows=37 cols=30 programs=") + programs);
    passes("persistent_matmul", std::string("m=300 n=200 k=70 programs=") + programs);
  }
  CHECK(instance_of("softmax", {"rows=37", "programs=5"}).launches.front().grid.x == 5);
  CHECK(instance_of("softmax", {"rows=4", "programs=5"}).launches.front().grid.x == 4);
  passes("grey", "h=1 w=1");
  passes("grey", "h=33 w=65");
  CHECK(instance_of("grey", {"h=33", "w=65"}).outputs.front().shape == std::vector<std::int64_t>{33, 65});
}
