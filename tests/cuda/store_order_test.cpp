#include "interp/cuda/host/store_order.h"

#include <doctest/doctest.h>

using namespace tl;

namespace {

// A kernel of two tensors and a number with this body; `same`: both parameters are one tensor.
std::optional<cuda::LoadAfterStore> hazard(const std::string& body, bool same = false,
                                           const std::string& helpers = "") {
  Launch launch;
  launch.kernel = "tl::kernels::k";
  launch.source = "kernels/k.h";
  const Tensor a = make_tensor("a", DType::float32, {4}), b = same ? a : make_tensor("b", DType::float32, {4});
  launch.arguments = {TensorArgument{a}, TensorArgument{b}, IntArgument{4}};
  return cuda::load_after_store({{"kernels/k.h", helpers +
                                                     "struct k {\nvoid operator()(auto& tl, ptr auto a_ptr, ptr auto "
                                                     "b_ptr, int_ auto n) const {\n" +
                                                     body + "\n}\n};\n"}},
                                launch);
}

}  // namespace

TEST_CASE("store order: a tensor that is loaded only, and another that is stored only, are no hazard") {
  CHECK_FALSE(hazard("for (auto k : tl.range(0, n)) { tl.store(b_ptr + k, tl.load(a_ptr + k)); }"));
}

TEST_CASE("store order: a load after a store to the same tensor is one, and is told by its line") {
  const auto found = hazard("auto p = a_ptr + n;\ntl.store(p, 1);\nauto x = tl.load(a_ptr);");
  REQUIRE(found);
  CHECK(found->line == 5);
  CHECK(found->pointer == "a_ptr");
  CHECK(found->stored == "a_ptr");
}

TEST_CASE("store order: a load before the store is none, unless a loop brings it back") {
  CHECK_FALSE(hazard("auto x = tl.load(a_ptr);\ntl.store(a_ptr, x);"));
  CHECK(hazard("for (auto k : tl.range(0, n)) {\nauto x = tl.load(a_ptr);\ntl.store(a_ptr, x);\n}"));
  CHECK(hazard("tl.static_for(3_c, [&](auto k) {\nauto x = tl.load(a_ptr);\ntl.store(a_ptr, x);\n});"));
  CHECK_FALSE(hazard("tl.static_if(1_c, [&] {\nauto x = tl.load(a_ptr);\ntl.store(a_ptr, x);\n}, [] {});"));
}

TEST_CASE("store order: two parameters of one tensor are one") {
  const std::string body = "tl.store(b_ptr, 1);\nauto x = tl.load(a_ptr);";
  CHECK_FALSE(hazard(body));
  const auto found = hazard(body, true);
  REQUIRE(found);
  CHECK(found->pointer == "a_ptr");
  CHECK(found->stored == "b_ptr");
}

TEST_CASE("store order: pointers are followed through names, assignments, descriptors and helpers") {
  CHECK(hazard("auto p = a_ptr + n; auto q = p + n; tl.atomic_add(q, 1); auto x = tl.load(a_ptr);"));
  CHECK(hazard("auto p = b_ptr + 1; p = tl.load(b_ptr) + a_ptr; tl.store(p, 1); auto x = tl.load(a_ptr);"));
  CHECK(hazard("a_ptr.store({0, 0}, 1); auto x = a_ptr.load({0, 0});"));
  const std::string helper = "auto put(auto& tl, auto to, auto x) { tl.store(to + 1, x); }\n";
  CHECK(hazard("put(tl, a_ptr, 1); auto x = tl.load(a_ptr);", false, helper));
  CHECK_FALSE(hazard("put(tl, b_ptr, 1); auto x = tl.load(a_ptr);", false, helper));
}

TEST_CASE("store order: the parameters of a helper are those of its calls alone") {
  const std::string helper =
      "void both(auto& tl, descriptor auto from, descriptor auto to) { auto x = from.load({0, 0}); to.store({0, 0}, "
      "x); "
      "}\n";
  CHECK_FALSE(hazard("both(tl, a_ptr, b_ptr);", false, helper));
  CHECK(hazard("both(tl, a_ptr, a_ptr);", false, helper));
}

TEST_CASE("store order: a loaded index is no pointer to where it was loaded from") {
  CHECK_FALSE(hazard("auto i = tl.load(a_ptr); tl.store(b_ptr + i, 1); auto x = tl.load(a_ptr + 1);"));
}
