#include "interp/cuda/host/words.h"

#include <doctest/doctest.h>

using tl::cuda::plain_words;

TEST_CASE("the executor's types read as the language writes them") {
  CHECK(plain_words(
            "tl::Block<tl::Float16, tl::Shape<64, 32>, tl::Layout<tl::Bases<1>, tl::Bases<>, tl::Bases<128, 256>>>") ==
        "f16[64, 32]");
  CHECK(plain_words("(tl::Ptr<float, 16>, tl::Scalar<long long, 1>, tl::constant<64>)") ==
        "(pointer to f32, i64, the constant 64)");
  CHECK(plain_words("(tl::Scalar<signed char, 1>, tl::Scalar<short, 1>, tl::Scalar<unsigned short, 1>, "
                    "tl::Scalar<unsigned long long, 1>)") == "(i8, i16, u16, u64)");
  CHECK(plain_words("tl::Box<tl::cuda::Config<4, 3, 4, false>, tl::Shape<1024>>") == "mask[1024]");
  CHECK(plain_words(
            "tl::PtrBlock<tl::cuda::Config<4, 3, 4, false>, float, int, tl::Shape<1024>, tl::Coefficients<1>, 16>") ==
        "pointers to f32[1024]");
}

TEST_CASE("an op that takes no such arguments is named as in the kernel") {
  CHECK(plain_words("no instance of function template \"tl::cuda::Context<Cfg>::load [with Cfg=tl::cuda::Config<4, 3, "
                    "4, false>]\" matches the "
                    "argument list; argument types are: (tl::Ptr<int, 16>, {...}); object type is: "
                    "tl::cuda::Context<tl::cuda::Config<4, 3>>") ==
        "no tl.load takes these arguments; argument types are: (pointer to i32, {...})");
  CHECK(plain_words("class \"tl::cuda::Context<tl::cuda::Config<4, 3, 4, false>>\" has no member \"lod\"") ==
        "tl has no member \"lod\"");
}

TEST_CASE("words that are not the executor's stay as they are, closed or not") {
  for (const char* text : {"expected a \";\"", "identifier \"x\" is undefined", "std::tuple<int, tl::Unknown>", "a < b",
                           "tl::Block<float, ", ""})
    CHECK(plain_words(text) == text);
}

TEST_CASE("the call behind a frame of the compiler's backtrace is told with the types it passes") {
  using tl::cuda::call_in_words;
  const std::string f32 = "tl::Block<float, tl::Shape<8>, tl::Layout<tl::Bases<>>>",
                    i32 = "tl::Index<tl::cuda::Config<4, 3>, int, tl::Shape<16>, tl::Coefficients<1>, 16>";
  CHECK(call_in_words("instantiation of \"auto tl::operator+(const A &, const B &) [with A=" + f32 + ", B=" + i32 +
                      "]\" at line 11 of k.h") == "f32[8] + i32[16]");
  CHECK(call_in_words("instantiation of \"auto tl::cuda::Ops<Cfg, Self>::reshape(const X &, tl::Shape<N...>) const "
                      "[with Cfg=tl::cuda::Config<4, 3>, X=" +
                      f32 + ", N=<4, 4>]\" at line 11") == "tl.reshape(f32[8], [4, 4])");
  CHECK(call_in_words("instantiation of \"tl::Block<T, S, L> &tl::Block<T, S, L>::operator=(const U &) [with T=float, "
                      "S=tl::Shape<8>, L=tl::Layout<>, U=" +
                      i32 + "]\" at line 3") == "f32[8] = i32[16]");
  for (const char* frame : {"", "\"", "\"operator=(int)\"",
                            "instantiation of \"tl::Box<Cfg, S>::operator bool() const [with S=tl::Shape<8>]\"",
                            "\"f(\"", "\")\"", "\" [with A\""})
    CHECK(call_in_words(frame) == "");
}
