// Ops called by name: the values, and what is said of a wrong call. Expected: arithmetic by hand, or the same op of a
// kernel's text.
#include "interp/cpu/call.h"

#include "interp/cpu/language.h"
#include "tests/cpu/fault_of.h"

using namespace tl;
using namespace tl::testing;
using cpu::AnyValue;
using cpu::call;

namespace {

const Lanes six = {3, -1, 4, 1, -5, 9};

Lanes lanes_of(const AnyValue& v) { return lanes(v.as<Block>()); }
Block six_of(cpu::Context& tl) { return block(tl, DType::float32, {2, 3}, six); }

// "headline | fix" of what the call is told.
std::string fault(std::function<void(cpu::Context&)> body) {
  const auto r = program(std::move(body));
  return r.faults.empty() ? "" : r.faults[0].headline + " | " + r.faults[0].fix;
}

AnyValue function(std::function<Block(const Block&, const Block&)> f) {
  using Values = std::vector<Block>;
  return std::make_shared<const std::function<Values(std::span<const Block>)>>(
      [f](std::span<const Block> sides) { return Values{f(sides[0], sides[1])}; });
}

}  // namespace

TEST_CASE("call: values by their places and by Triton's names are one") {
  well([](cpu::Context& tl) {
    const Block x = six_of(tl);
    CHECK(lanes_of(call(tl, "sum", {x, 1})) == Lanes{6, 5});
    CHECK(lanes_of(call(tl, "sum", {x}, {{"axis", 1}})) == Lanes{6, 5});
    CHECK(lanes_of(call(tl, "sum", {}, {{"axis", -2}, {"input", x}})) == Lanes{4, -6, 13});
    CHECK(lanes_of(call(tl, "sum", {x})) == Lanes{11});
  });
}

TEST_CASE("call: keep_dims, return_indices and dtype mean what Triton says") {
  well([](cpu::Context& tl) {
    const Block x = six_of(tl);
    const AnyValue kept = call(tl, "max", {x, 1}, {{"keep_dims", true}});
    CHECK(kept.as<Block>().data()->rank == 2);
    CHECK(lanes_of(kept) == Lanes{4, 9});
    CHECK(call(tl, "sum", {x}, {{"keep_dims", true}}).as<Block>().data()->rank == 2);
    const auto both = call(tl, "max", {x, 1}, {{"return_indices", true}}).as<cpu::Tuple>();
    CHECK(lanes_of((*both)[0]) == Lanes{4, 9});
    CHECK(lanes_of((*both)[1]) == Lanes{2, 2});
    CHECK(dtype_of(call(tl, "sum", {x}, {{"dtype", cpu::ElementType{DType::float64}}}).as<Block>()) == DType::float64);
  });
}

TEST_CASE("call: shapes are tuples or what is left of the values") {
  well([](cpu::Context& tl) {
    const Block x = six_of(tl);
    for (const AnyValue& r : {call(tl, "reshape", {x, 3, 2}), call(tl, "reshape", {x, std::vector<AnyValue>{3, 2}})}) {
      CHECK(r.as<Block>().data()->dims[0] == 3);
      CHECK(lanes_of(r) == six);
    }
    CHECK(lanes_of(call(tl, "permute", {x, 1, 0})) == Lanes{3, 1, -1, -5, 4, 9});
    CHECK(lanes_of(call(tl, "trans", {x})) == Lanes{3, 1, -1, -5, 4, 9});
    CHECK(call(tl, "expand_dims", {x, std::vector<AnyValue>{0, 3}}).as<Block>().data()->rank == 4);
  });
}

TEST_CASE("call: a number joins as a literal, and is a scalar where an op wants a block") {
  well([](cpu::Context& tl) {
    const Block x = block(tl, DType::float16, {1, 2});
    const AnyValue sum = cpu::infix(tl, Op::add, x, 0.5, {});
    CHECK(dtype_of(sum.as<Block>()) == DType::float16);
    CHECK(lanes_of(sum) == Lanes{1.5, 2.5});
    CHECK(lanes_of(call(tl, "sqrt", {16.0})) == Lanes{4});
    CHECK(lanes_of(call(tl, "where", {true, x, 0.0})) == Lanes{1, 2});
    CHECK(lanes_of(call(tl, "maximum", {x, 1.5})) == Lanes{1.5, 2});
  });
}

TEST_CASE("call: a method is the op that takes its block first") {
  well([](cpu::Context& tl) {
    const AnyValue x = six_of(tl);
    CHECK(cpu::method_called(x, "to")->name == "cast");
    CHECK(cpu::method_called(x, "T")->name == "trans");
    CHECK(cpu::method_called(x, "sum") == cpu::function_called("sum"));
    CHECK(cpu::method_called(x, "debug_barrier") == nullptr);
    const bool columns[] = {false, true, false};
    CHECK(cpu::sliced(tl, x, columns, {}).as<Block>().data()->dims[1] == 1);
  });
}

TEST_CASE("call: loads and stores take their options by name, block pointers their bounds") {
  const Tensor x = tensor_of("x", DType::float32, {4}, {1, 2, 3, 4}), y = empty("y", DType::float32, {4});
  well(
      [&](cpu::Context& tl) {
        const cpu::Pointer from = tl.bind(TensorArgument{x}, 0), to = tl.bind(TensorArgument{y}, 1);
        const AnyValue offs = call(tl, "arange", {0, 4});
        const AnyValue mask = cpu::infix(tl, Op::lt, offs, 3, {});
        const AnyValue lanes = call(tl, "load", {cpu::infix(tl, Op::add, from, offs, {})},
                                    {{"mask", mask}, {"other", 9.0}, {"eviction_policy", "evict_last"}});
        CHECK(lanes_of(lanes) == Lanes{1, 2, 3, 9});
        call(tl, "store", {cpu::infix(tl, Op::add, to, offs, {}), lanes});
        const auto tuple = [](std::vector<AnyValue> all) { return AnyValue(std::move(all)); };
        const AnyValue tile =
            call(tl, "make_block_ptr", {from, tuple({4}), tuple({1}), tuple({0}), tuple({4}), tuple({0})});
        const AnyValue next = call(tl, "advance", {tile, tuple({2})});
        CHECK(lanes_of(call(tl, "load", {next}, {{"boundary_check", tuple({0})}})) == Lanes{3, 4, 0, 0});
        const AnyValue desc = call(tl, "make_tensor_descriptor", {from, tuple({4}), tuple({1}), tuple({4})});
        std::vector<AnyValue> at = {desc, tuple({2})};
        CHECK(lanes_of(call(tl, *cpu::method_called(desc, "load"), at, {})) == Lanes{3, 4, 0, 0});
      },
      {x, y});
  CHECK(values_of(y) == Lanes{1, 2, 3, 9});
}

TEST_CASE("call: reduce and associative_scan take a function of blocks") {
  well([](cpu::Context& tl) {
    const Block x = block(tl, DType::int32, {3, 1, 4, 1});
    const AnyValue product = function([](const Block& a, const Block& b) { return a * b; });
    CHECK(lanes_of(call(tl, "reduce", {x, 0, product})) == Lanes{12});
    CHECK(lanes_of(call(tl, "associative_scan", {x, 0, product})) == Lanes{3, 3, 12, 12});
    CHECK(lanes_of(call(tl, "associative_scan", {x, 0, product}, {{"reverse", true}})) == Lanes{12, 4, 4, 1});
  });
}

TEST_CASE("call: a wrong call names the op, the parameter and the way out") {
  const auto told = [](const char* op, std::vector<AnyValue> values, std::vector<cpu::NamedValue> named = {}) {
    return fault([=](cpu::Context& tl) {
      std::vector<AnyValue> all = {six_of(tl)};
      all.insert(all.end(), values.begin(), values.end());
      call(tl, op, all, named);
    });
  };
  CHECK(
      told("sum", {}, {{"axes", 1}}) ==
      "tl.sum: no parameter is called axes | did you mean axis? tl.sum(input, axis=None, keep_dims=False, dtype=None)");
  CHECK(told("where", {1}) == "tl.where: y is missing | its parameters: tl.where(condition, x, y)");
  CHECK(told("sum", {1}, {{"axis", 1}}).starts_with("tl.sum: axis is given twice"));
  CHECK(told("exp", {1, 2}).starts_with("tl.exp: 3 values for 1 parameters"));
  CHECK(told("sum", {"x"}).starts_with("tl.sum: axis: a constant integer is wanted, and this is \"x\""));
  CHECK(told("sum", {2}) == "tl.sum: axis: there is no axis 2 of 2 | use 0 to 1");
  CHECK(told("load", {}).starts_with("tl.load: pointer: a pointer is wanted, and this is a block of f32(2, 3)"));
  CHECK(told("summ", {}) == "tl.summ: there is no such op | did you mean tl.sum?");
}

TEST_CASE("call: every op of the table that is called can be called by name") {
  for (const OpInfo& op : op_table)
    if (op.name != "range" && op.name != "slice") CHECK_MESSAGE(cpu::function_called(op.name), op.name);
  for (const CompositeInfo& c : composite_table) CHECK_MESSAGE(cpu::function_called(c.name), c.name);
}

TEST_CASE("call: a place that was not compiled is where a fault stands") {
  static const cpu::Place place{"softmax.py", "softmax", 7, 12};
  const auto r = program([&](cpu::Context& tl) { call(tl, "sum", {six_of(tl), 5}, {}, cpu::location_of(place)); });
  REQUIRE(r.faults.size() == 1);
  CHECK(r.faults[0].site.file == std::string("softmax.py"));
  CHECK(r.faults[0].site.line == 7);
  CHECK(r.faults[0].site.column == 12);
}

TEST_CASE("call: an axis that is named twice, and a tile too narrow for a GPU's copies, are told with their numbers") {
  using Numbers = std::vector<AnyValue>;
  const Tensor x = zeros("x", DType::int32, {128, 128});
  const Fault twice = fault_of([](cpu::Context& tl) { call(tl, "expand_dims", {six_of(tl), Numbers{0, -4}}); });
  CHECK(twice.headline.find("axis 0 is named twice: [0, 0]") != std::string::npos);
  const auto makes_narrow_tiles = [&](cpu::Context& tl) {
    call(tl, "make_tensor_descriptor", {pointer(tl, 0, x), Numbers{128, 128}, Numbers{128, 1}, Numbers{1, 2}});
  };
  CHECK(fault_of(makes_narrow_tiles, {x}).headline.find("a row of a tile has 8 bytes") != std::string::npos);
}
