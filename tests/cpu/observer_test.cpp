// What an observer is told: ops with their places and values, accesses as tiles, variables.
#include <map>
#include <set>

#include "tests/cpu/lab.h"

using namespace tl;
using namespace tl::testing;

namespace {

struct Watch : trace::Observer {
  struct Event {
    trace::Op op;
    Site site;
    std::vector<trace::ValueId> operands, results;
    std::vector<double> lanes;  // of the first result, int32 or float32
    bool has_access = false;
    trace::Access access;
    std::vector<std::int64_t> strides, hi, offsets;
    std::string text;
    std::vector<trace::LiteralOperand> literals;
  };
  trace::Keep keep = trace::Keep::values;
  std::vector<Event> events;
  std::map<const void*, trace::ValueId> variables;
  std::set<const void*> ever;
  std::vector<std::string> order;
  trace::Keep program_begins(ProgramId p) override {
    order.push_back("begin " + std::to_string(p.x));
    return keep;
  }
  void program_ends(ProgramId p) override { order.push_back("end " + std::to_string(p.x)); }
  void fault(const Fault& f) override { order.push_back("fault " + f.headline); }
  std::vector<float> before_writes;  // the first active cell of a tile, as it was
  trace::LaunchInfo launch;
  void launch_begins(const trace::LaunchInfo& info) override { launch = info; }
  void before_write(const trace::Access& a) override {
    const trace::TensorInfo& t = launch.tensors[static_cast<std::size_t>(a.tensor)];
    if (a.is_tile && t.dtype == DType::float32 && a.base >= 0 && a.base < t.storage_elems)
      before_writes.push_back(reinterpret_cast<const float*>(t.data)[a.base]);
  }
  void assigned(const void* v, trace::ValueId id) override {
    variables[v] = id;
    ever.insert(v);
  }
  void forgotten(const void* v) override { variables.erase(v); }
  void op(const trace::OpEvent& e) override {
    Event r{e.op,
            e.site,
            {},
            {},
            {},
            e.access != nullptr,
            {},
            {},
            {},
            {},
            std::string(e.text),
            {e.literals.begin(), e.literals.end()}};
    for (const auto& v : e.operands) r.operands.push_back(v.id);
    for (const auto& v : e.results) r.results.push_back(v.id);
    if (!e.results.empty()) {
      const trace::Value& v = e.results[0];
      std::int64_t n = 1;
      for (const std::int64_t d : v.shape) n *= d;
      for (std::int64_t i = 0; i < n; ++i) {
        if (v.dtype == DType::int32) r.lanes.push_back(reinterpret_cast<const std::int32_t*>(v.data())[i]);
        if (v.dtype == DType::int64)
          r.lanes.push_back(static_cast<double>(reinterpret_cast<const std::int64_t*>(v.data())[i]));
        if (v.dtype == DType::float32) r.lanes.push_back(reinterpret_cast<const float*>(v.data())[i]);
        if (v.dtype == DType::int1) r.lanes.push_back(static_cast<double>(v.data()[i]));
      }
    }
    if (e.access) {
      r.access = *e.access;
      r.strides.assign(e.access->strides.span().begin(), e.access->strides.span().end());
      r.hi.assign(e.access->hi.span().begin(), e.access->hi.span().end());
      if (!e.access->is_tile) r.offsets.assign(e.access->offsets, e.access->offsets + e.access->lanes());
    }
    events.push_back(r);
  }
  const Event& only(trace::Op op) const {
    const Event* found = nullptr;
    for (const Event& e : events) {
      if (e.op != op) continue;
      REQUIRE(found == nullptr);
      found = &e;
    }
    REQUIRE(found != nullptr);
    return *found;
  }
};

cpu::RunResult watched(Watch& w, std::function<void(cpu::Context&)> body, std::vector<Tensor> tensors = {},
                       Grid grid = {}, cpu::Order order = cpu::Order::sequential) {
  cpu::RunOptions options;
  options.order = order;
  options.observer = &w;
  return program(std::move(body), options, std::move(tensors), grid);
}

}  // namespace

TEST_CASE("places: every op, infix too, has its line and column") {
  Watch w;
  const int line = __LINE__ + 2;
  watched(w, [](auto& tl) {
    auto a = tl.arange(0, 4_c) + 2;
    auto b = -a;
    b += a;
  });
  CHECK(w.only(trace::Op::arange).site.line == line);
  CHECK(w.only(trace::Op::neg).site.line == line + 1);
  std::set<int> adds;
  for (const auto& e : w.events)
    if (e.op == trace::Op::add) adds.insert(e.site.line);
  CHECK(adds == std::set<int>{line, line + 2});
  CHECK(w.only(trace::Op::arange).site.column > 1);
  CHECK(std::string(w.only(trace::Op::neg).site.file).find("observer_test.cpp") != std::string::npos);
}

TEST_CASE("values: results have ids of their own, operands name the results they were") {
  Watch w;
  watched(w, [](auto& tl) {
    auto a = tl.arange(0, 4_c);
    auto b = a * 3;
    auto c = b < 5;
    (void)c;
  });
  CHECK(w.only(trace::Op::mul).operands[0] == w.only(trace::Op::arange).results[0]);
  CHECK(w.only(trace::Op::lt).operands[0] == w.only(trace::Op::mul).results[0]);
  CHECK(w.only(trace::Op::mul).lanes == std::vector<double>{0, 3, 6, 9});
  CHECK(w.only(trace::Op::lt).lanes == std::vector<double>{1, 1, 0, 0});
}

TEST_CASE("values: numbers in the text are told beside the operands, constants marked") {
  Watch w;
  watched(w, [](auto& tl) {
    auto a = tl.arange(0, 4_c) * 3_c;
    for (auto i : tl.range(0, 8, 8_c)) (void)(7 - i);
    (void)a;
  });
  const auto& by = w.only(trace::Op::mul).literals;
  REQUIRE(by.size() == 1);
  CHECK((by[0].position == 1 && by[0].is_constant && by[0].value == 3));
  const auto& from = w.only(trace::Op::sub).literals;
  REQUIRE(from.size() == 1);
  CHECK((from[0].position == 0 && !from[0].is_constant && from[0].value == 7));
  const auto& loop = w.only(trace::Op::range).literals;
  REQUIRE(loop.size() == 2);
  CHECK((loop[0].position == 0 && !loop[0].is_constant && loop[1].position == 2 && loop[1].is_constant &&
         loop[1].value == 8));
}

TEST_CASE("accesses: affine pointers under a box mask are one tile") {
  const Tensor x = random_tensor("x", DType::float32, {8, 10}, 1);
  Watch w;
  watched(w,
          [&](auto& tl) {
            auto i = tl.arange(0, 4_c)(_, None), j = tl.arange(0, 8_c)(None, _);
            tl.load(tl.bind(TensorArgument{x}, 0) + (i + 2) * 10 + j, {.mask = (j < 5) & (i < 3), .other = 0});
          },
          {x});
  const auto& load = w.only(trace::Op::load);
  REQUIRE(load.has_access);
  CHECK(load.access.is_tile);
  CHECK(load.access.base == 20);
  CHECK(load.strides == std::vector<std::int64_t>{10, 1});
  CHECK(load.hi == std::vector<std::int64_t>{3, 5});
}

TEST_CASE("accesses: a mask of fewer axes than its pointers leaves them one tile") {
  const Tensor x = random_tensor("x", DType::float32, {8, 10}, 1);
  Watch w;
  watched(w,
          [&](auto& tl) {
            auto i = tl.arange(0, 4_c)(_, None), j = tl.arange(0, 8_c);
            tl.load(tl.bind(TensorArgument{x}, 0) + i * 10 + j(None, _), {.mask = j < 5, .other = 0});
          },
          {x});
  const auto& load = w.only(trace::Op::load);
  CHECK(load.access.is_tile);
  CHECK(load.hi == std::vector<std::int64_t>{4, 5});
}

TEST_CASE("accesses: stores and atomics are told before they touch memory") {
  const Tensor x = tensor_of("x", DType::float32, {4}, {5, 6, 7, 8});
  Watch w;
  w.keep = trace::Keep::accesses;
  watched(w,
          [&](auto& tl) {
            auto p = tl.bind(TensorArgument{x}, 0);
            tl.store(p + 1 + tl.arange(0, 2_c), 9.0);
            tl.atomic_add(p + 1, 1.0);
          },
          {x});
  CHECK(w.before_writes == std::vector<float>{6, 9});
  CHECK(x.as<float>()[1] == 10);
}

TEST_CASE("accesses: other addresses are lists of lanes") {
  const Tensor x = random_tensor("x", DType::float32, {64}, 1);
  Watch w;
  w.keep = trace::Keep::accesses;
  watched(w,
          [&](auto& tl) {
            auto i = tl.arange(0, 4_c);
            tl.store(tl.bind(TensorArgument{x}, 0) + i * i, 1.0);
          },
          {x});
  REQUIRE(w.events.size() == 1);  // memory ops only
  CHECK(!w.events[0].access.is_tile);
  CHECK(w.events[0].offsets == std::vector<std::int64_t>{0, 1, 4, 9});
  CHECK(w.ever.empty());
}

TEST_CASE("variables: a block object is told when it takes a value and when it dies") {
  Watch w;
  watched(w,
          [&](auto& tl) {
            auto a = tl.arange(0, 4_c);
            const auto first = w.variables.at(&a);
            a += 1;
            CHECK(w.variables.at(&a) != first);
            {
              auto b = a;
              CHECK(w.variables.at(&b) == w.variables.at(&a));
            }
            CHECK(w.variables.size() == 1);
            auto p = tl.make_block_ptr(tl.bind(TensorArgument{make_tensor("x", DType::float32, {4})}, 0), tl.tuple(4),
                                       tl.tuple(1), tl.tuple(0), tl.shape(4_c), tl.axes(0_c));
            (void)p;
          },
          {make_tensor("x", DType::float32, {4})});
  CHECK(w.variables.empty());
}

TEST_CASE("loops: the variable's value is an event at the loop's place in every turn") {
  Watch w;
  watched(w, [](auto& tl) {
    for (auto i : tl.range(0, 3)) (void)i;
  });
  std::vector<double> turns;
  for (const auto& e : w.events)
    if (e.op == trace::Op::range) turns.push_back(e.lanes[0]);
  CHECK(turns == std::vector<double>{0, 1, 2});
}

TEST_CASE("print_if: programs its condition holds for, the text as numpy prints") {
  Watch w;
  watched(w,
          [](auto& tl) {
            tl.print_if("pid = {} | offs = {}, mask = {}", "=1", tl.program_id(0), tl.arange(0, 2_c) + 2,
                        tl.arange(0, 2_c) < 1);
          },
          {}, {3});
  CHECK(w.only(trace::Op::print_if).text == "pid = 1 | offs = [2 3], mask = [True False]");
}

TEST_CASE("orders: an observer hears programs one after the other, and their faults within them") {
  Watch w;
  const Tensor x = random_tensor("x", DType::float32, {2}, 1);
  watched(w, [&](auto& tl) { tl.load(tl.bind(TensorArgument{x}, 0) + tl.program_id(0)); }, {x}, {4});
  CHECK(w.order == std::vector<std::string>{"begin 0", "end 0", "begin 1", "end 1", "begin 2",
                                            "fault tl.load: program 2 is out of bounds", "end 2"});
}

TEST_CASE("parallel with an observer: unwatched programs run all the same") {
  Watch w;
  w.keep = trace::Keep::nothing;
  const Tensor x = make_tensor("x", DType::int32, {64});
  const auto r = watched(
      w, [&](auto& tl) { tl.store(tl.bind(TensorArgument{x}, 0) + tl.program_id(0), tl.program_id(0)); }, {x}, {64},
      cpu::Order::parallel);
  CHECK(r.programs == 64);
  CHECK(w.events.empty());
  for (int i = 0; i < 64; ++i) CHECK(get(x, i) == i);
}
