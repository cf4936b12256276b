// Lanes that move, bits, integers of 8 and 64 bits, Philox's words, atomics and locks, on each device there is.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "interp/cpu/launch.h"
#include "interp/cpu/run.h"
#include "tests/ops/every_device.h"
#include "tests/ops/word_kernels.h"

namespace tl::test::word_data_test {
using enum DType;
namespace {

template <class K, class... A>
Launch launch(Grid grid, A... arguments) {
  return make_launch<K>("tests/ops/word_kernels.h", grid, LaunchOptions{}, arguments...);
}
TensorArgument arg(const Tensor& t) { return {t}; }
ConstantArgument fixed(int v) { return {v}; }

}  // namespace

TEST_CASE("lanes move: flip, cat, interleave, sort, topk, gather, broadcast") {
  for (const Device& device : devices())
    for (auto [height, width] : {std::pair{2, 8}, {16, 32}, {64, 4}})
      for (DType t : {float32, int32, float16}) {
        const int m = height, n = width, count = m * n;
        if (device.compiles && (t != float32 || m != 16)) continue;
        CAPTURE(device.name);
        CAPTURE(name_of(t));
        CAPTURE(m);
        const Tensor a = tensor_of("a", t, {m, n}, [](auto i) { return (i * 37 + 11) % 101 - 50; }),
                     b = tensor_of("b", t, {m, n}, [](auto i) { return i % 60 + 100; }),
                     index = tensor_of("index", int32, {m, n}, [&](auto i) { return (i * 3 + 1) % n; });
        const Tensor out = poisoned("out", t, {10 * count + 4 * m + 3});
        run(device, launch<movement_kernel>({}, arg(out), arg(a), arg(b), arg(index), fixed(m), fixed(n)));
        const auto at = [&](int base, int i) { return get(out, base + i); };
        for (int i = 0; i < m; ++i) {
          std::vector<double> row(static_cast<std::size_t>(n));
          for (int j = 0; j < n; ++j) row[static_cast<std::size_t>(j)] = get(a, i * n + j);
          std::vector<double> rising = row;
          std::sort(rising.begin(), rising.end());
          for (int j = 0; j < n; ++j) {
            const int f = i * n + j;
            REQUIRE(at(0, f) == row[static_cast<std::size_t>(n - 1 - j)]);
            REQUIRE(at(count, f) == get(a, (m - 1 - i) * n + j));
            REQUIRE(at(2 * count, f) == get(a, f));
            REQUIRE(at(3 * count, f) == get(b, f));
            REQUIRE(at(4 * count, 2 * f) == get(a, f));
            REQUIRE(at(4 * count, 2 * f + 1) == get(b, f));
            REQUIRE(at(6 * count, f) == rising[static_cast<std::size_t>(j)]);
            REQUIRE(at(7 * count, f) == rising[static_cast<std::size_t>(n - 1 - j)]);
            if (j < 4) REQUIRE(at(8 * count, i * 4 + j) == rising[static_cast<std::size_t>(n - 1 - j)]);
            REQUIRE(at(8 * count + 4 * m, f) == row[static_cast<std::size_t>(get(index, f))]);
            REQUIRE(at(9 * count + 4 * m, f) == i + get(a, f));
          }
        }
        double least = get(a, 0), most = least;
        for (int f = 0; f < count; ++f) {
          least = std::min(least, get(a, f));
          most = std::max(most, get(a, f));
        }
        REQUIRE(at(10 * count + 4 * m, 0) == least);
        REQUIRE(at(10 * count + 4 * m, 1) == most);
        REQUIRE(at(10 * count + 4 * m, 2) == least);
      }
}

TEST_CASE("histogram counts what a mask leaves, and a value without a bin is told") {
  const int n = 256, known = 200;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor in = tensor_of("in", int32, {n}, [](auto i) { return i * i % 7; }), out = poisoned("out", int32, {16});
    run(device, launch<histogram_kernel>({}, arg(out), arg(in), IntArgument{known}, fixed(n)));
    double counts[2][8] = {};
    for (int i = 0; i < n; ++i) {
      ++counts[0][i * i % 7];
      counts[1][i * i % 7] += i < known;
    }
    for (int i = 0; i < 16; ++i) CHECK(get(out, i) == counts[i / 8][i % 8]);
  }
  const Tensor wrong = tensor_of("in", int32, {16}, [](auto i) { return i; }), out = poisoned("out", int32, {16});
  const auto faults = cpu::run(launch<histogram_kernel>({}, arg(out), arg(wrong), IntArgument{4}, fixed(16))).faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].headline.find("lane 8 of program 0 holds 8") != std::string::npos);
  CHECK(faults[0].fix.find("more bins") != std::string::npos);
}

TEST_CASE("bitcasts keep the bits, there and back") {
  struct Case {
    DType from, to;
    double value, bits;  // as IEEE 754 and the bf16 format have it
  };
  for (const Device& device : devices())
    for (const Case& c : {Case{float32, int32, 1.0, 0x3f800000},
                          {float32, uint32, -2.0, 0xc0000000},
                          {float16, int16, 1.0, 0x3c00},
                          {bfloat16, uint16, -1.0, 0xbf80},
                          {int8, uint8, -1, 255},
                          {float64, int64, 1.0, 4607182418800017408.0},
                          {uint64, int64, 5, 5}}) {
      if (device.compiles && c.from != float16 && c.from != float32) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(c.from));
      const Tensor in = tensor_of("in", c.from, {32}, [&](auto) { return c.value; }), out = poisoned("out", c.to, {32}),
                   back = poisoned("back", c.from, {32});
      run(device, launch<bits_kernel>({}, arg(out), arg(back), arg(in), fixed(32)));
      for (int i = 0; i < 32; ++i) {
        CHECK(get(out, i) == c.bits);
        CHECK(get(back, i) == c.value);
      }
    }
}

TEST_CASE("tl.where chooses between two pointers by one mask") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor flags = tensor_of("flags", int32, {4}, [](auto i) { return i / 2; }),
                 x = tensor_of("x", float32, {16}, [](auto i) { return i; }),
                 y = tensor_of("y", float32, {32}, [](auto i) { return 100 + i; }),
                 out = poisoned("out", float32, {4 * 32});
    run(device, launch<chosen_pointer_kernel>({4}, arg(out), arg(flags), arg(x), arg(y), fixed(16)));
    for (int p = 0; p < 4; ++p)
      for (int i = 0; i < 16; ++i) {
        CHECK(get(out, p * 32 + i) == (p / 2 ? i : 116 + i));
        CHECK(get(out, p * 32 + 16 + i) == (p % 2 ? 100 + i : i));
      }
  }
}

TEST_CASE("an int8 dot adds up in int32") {
  const int m = 32, n = 16, k = 64;
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor a = tensor_of("a", int8, {m, k}, [](auto i) { return i * 7 % 256 - 128; }),
                 b = tensor_of("b", int8, {k, n}, [](auto i) { return i * 11 % 256 - 128; }),
                 out = poisoned("out", int32, {m, n});
    run(device, launch<int8_dot_kernel>({}, arg(out), arg(a), arg(b), fixed(m), fixed(n), fixed(k)));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double total = 5;
        for (int l = 0; l < k; ++l) total += get(a, i * k + l) * get(b, l * n + j);
        REQUIRE(get(out, i * n + j) == total);
      }
  }
}

TEST_CASE("a dot of three axes or four multiplies matrix by matrix") {
  const int count = 4, m = 16, n = 32, k = 16;
  for (const Device& device : devices())
    for (DType t : {float16, float32}) {
      CAPTURE(device.name);
      CAPTURE(name_of(t));
      const Tensor a = tensor_of("a", t, {count, m, k}, [](auto i) { return i % 7 - 3; }),
                   b = tensor_of("b", t, {count, k, n}, [](auto i) { return i % 5 - 2; }),
                   out = poisoned("out", float32, {count, m, n}), four = poisoned("four", float32, {count, m, n});
      run(device, launch<batched_dot_kernel>({}, arg(out), arg(a), arg(b), fixed(count), fixed(m), fixed(n), fixed(k)));
      run(device,
          launch<four_axes_dot_kernel>({}, arg(four), arg(a), arg(b), fixed(count), fixed(m), fixed(n), fixed(k)));
      for (int c = 0; c < count; ++c)
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            double total = 0;
            for (int l = 0; l < k; ++l) total += get(a, (c * m + i) * k + l) * get(b, (c * k + l) * n + j);
            REQUIRE(get(out, (c * m + i) * n + j) == 2 * total + 2);
            REQUIRE(get(four, (c * m + i) * n + j) == 2 * total + 2);
          }
    }
}

TEST_CASE("Philox: the words that Random123 states, four at once; normal pairs have the radius of their first word") {
  const int n = 16;
  // seed 0, offsets 0 and 1; key a4093822 299f31d0 of pi's digits
  const std::uint32_t first[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                      second[4] = {0xf8e4cca4, 0x5cb200db, 0xb1a574eb, 0x097eff67},
                      of_pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor words = poisoned("words", int64, {8, n}), floats = poisoned("floats", float32, {4, n});
    run(device, launch<philox_kernel>({}, arg(words), arg(floats), IntArgument{0},
                                      IntArgument{0x299f31d0a4093822, int64}, fixed(n)));
    const auto word = [&](int row, int i) { return words.as<std::int64_t>()[row * n + i]; };
    for (int k = 0; k < 4; ++k) {
      CHECK(word(k, 0) == first[k]);
      CHECK(word(k, 1) == second[k]);
      for (int i = 0; i < n; ++i) CHECK(word(4 + k, i) == of_pi[k]);
    }
    const auto uniform = [&](int row, int i) {
      const auto x = static_cast<std::int32_t>(word(row, i));
      return static_cast<double>(x < 0 ? -(x + 1) : x) * 4.6566127342e-10;
    };
    for (int i = 0; i < n; ++i) {
      CHECK(get(floats, i) == doctest::Approx(uniform(0, i)).epsilon(1e-6));
      CHECK(get(floats, n + i) == doctest::Approx(uniform(1, i) + uniform(2, i) + uniform(3, i)).epsilon(1e-6));
      for (int pair = 0; pair < 2; ++pair)
        CHECK(get(floats, (2 + pair) * n + i) == doctest::Approx(-2 * std::log(uniform(2 * pair, i))).epsilon(1e-5));
    }
  }
}

TEST_CASE("hints of runs: true ones change nothing, the interpreter refuses false ones") {
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const Tensor out = poisoned("out", int32, {32});
    run(device, launch<run_hints_kernel>({}, arg(out), fixed(32)));
    for (int i = 0; i < 32; ++i) CHECK(get(out, i) == i / 4);
  }
  const Tensor out = poisoned("out", int32, {32});
  const auto faults = cpu::run(launch<false_run_kernel>({}, arg(out), fixed(32))).faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].headline.find("lane 1 of program 0") != std::string::npos);
  CHECK(faults[0].detail == "it is 2 after 0");
}

TEST_CASE("atomics: every op, by lanes and by cells, and a lock that lets programs in one by one") {
  const int n = 32, programs = 6;
  for (const Device& device : devices())
    for (DType t : {int32, int64, uint32, uint64}) {
      if (device.compiles && t != int32 && t != uint64) continue;
      CAPTURE(device.name);
      CAPTURE(name_of(t));
      const Tensor cells =
                       tensor_of("cells", t, {7, n}, [&](auto i) { return i / n == 1   ? 100
                                                                          : i / n == 2 ? 255
                                                                                       : 0; }),
                   old = poisoned("old", t, {programs, n}),
                   lock = tensor_of("lock", int32, {1}, [](auto) { return 0; }),
                   sum = tensor_of("sum", int32, {n}, [](auto) { return 0; });
      run(device, launch<atomics_kernel>({programs}, arg(cells), arg(old), arg(lock), arg(sum), fixed(n)));
      for (int i = 0; i < n; ++i) {
        CHECK(get(cells, i) == i + programs - 1);
        CHECK(get(cells, n + i) == (i > 2 ? i : 100));
        CHECK(get(cells, 2 * n + i) == 255 - 63);
        CHECK(get(cells, 3 * n + i) == 63);
        CHECK(get(cells, 4 * n + i) == 63);
        CHECK(get(cells, 5 * n + i) == 7);
        // one program swapped its number in; all that came later saw it
        const double winner = get(cells, 6 * n + i);
        CHECK((winner >= 1 && winner <= programs));
        for (int p = 0; p < programs; ++p) CHECK(get(old, p * n + i) == (p + 1 == winner ? 0 : winner));
        CHECK(get(sum, i) == i * programs + 15);
      }
      CHECK(get(lock, 0) == 0);
    }
}

TEST_CASE("atomics of floats: max and min as fmax and fmin, swaps by bits") {
  const int n = 16, programs = 5;
  for (const Device& device : devices())
    for (DType t : {float32, float64}) {
      CAPTURE(device.name);
      CAPTURE(name_of(t));
      const Tensor cells = tensor_of("cells", t, {2 * n + 2}, [](auto) { return 0; }),
                   in = tensor_of("in", t, {programs, n}, [](auto i) { return i % 13 - 6.5; });
      run(device, launch<float_atomics_kernel>({programs}, arg(cells), arg(in), fixed(n)));
      for (int i = 0; i < n; ++i) {
        double most = 0, least = 0;
        for (int p = 0; p < programs; ++p) {
          most = std::max(most, get(in, p * n + i));
          least = std::min(least, get(in, p * n + i));
        }
        CHECK(get(cells, i) == most);
        CHECK(get(cells, n + i) == least);
      }
      CHECK(get(cells, 2 * n) == 2.5);
      CHECK(get(cells, 2 * n + 1) == 1.5);
    }
}

TEST_CASE("pointers that are None: what stands behind tl.is_none is left out, what does not is told") {
  const int n = 50, lanes = 64;
  for (const Device& device : devices())
    for (int given = 0; given < 8; ++given) {
      CAPTURE(device.name);
      CAPTURE(given);
      const auto or_none = [&](int bit, const Tensor& t) { return given >> bit & 1 ? t : none_tensor(t.name); };
      const Tensor x = tensor_of("x", float32, {n}, [](auto i) { return i; }),
                   w = or_none(0, tensor_of("w", float32, {n}, [](auto i) { return i % 3; })),
                   b = or_none(1, tensor_of("b", float32, {n}, [](auto i) { return 100 + i; })),
                   mean = or_none(2, tensor_of("mean", float32, {1}, [](auto) { return 0; })),
                   y = poisoned("y", float32, {n});
      run(device, launch<optional_kernel>({}, arg(y), arg(x), arg(w), arg(b), arg(mean), IntArgument{n}, fixed(lanes)));
      double total = 0;
      for (int i = 0; i < n; ++i) {
        const double scaled = i * (given & 1 ? i % 3 : 1);
        total += scaled;
        CHECK(get(y, i) == scaled + (given & 2 ? 100 + i : 0));
      }
      if (given & 4) CHECK(get(mean, 0) == doctest::Approx(total / n));
    }
  const Tensor out = poisoned("out", float32, {16});
  const auto faults = cpu::run(launch<used_none_kernel>({}, arg(out), arg(none_tensor("bias")), fixed(16))).faults;
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].detail == "\"bias\" is None");
  CHECK(faults[0].fix == "ask first: if (!tl.is_none(bias)), or pass a tensor");
}

TEST_CASE("what the words do not take is refused on every device, in words that mend it") {
  const Tensor x = tensor_of("x", float32, {16}, [](auto i) { return i; }), out = poisoned("out", float32, {16});
  for (const Device& device : devices()) {
    CAPTURE(device.name);
    const auto says = [&]<class K>(K, const char* text) {
      const std::string words = refusal(device, launch<K>({}, arg(out), arg(x), fixed(16)));
      CHECK_MESSAGE(words.find(text) != std::string::npos, words);
    };
    says(narrow_bitcast_kernel{}, "a bitcast keeps the number of bits");
    says(sliced_scalar_kernel{}, "one value has no axes to slice");
    says(shifted_bool_kernel{}, "not defined for");
    says(widening_rtz_kernel{}, "tl.rtz rounds floats to fewer bits");
    says(integer_rtz_kernel{}, "tl.rtz rounds floats to fewer bits");
    says(chosen_by_lanes_kernel{}, "pointers are chosen by one mask");
    says(chosen_late_kernel{}, "before offsets are added");
    says(no_axis_kernel{}, "axis");
    says(uneven_cat_kernel{}, "two blocks of one axis and one size");
    says(many_top_kernel{}, "power of two");
    says(float_histogram_kernel{}, "integers of a block of one axis");
    says(float_xor_kernel{}, "takes integers");
    says(bad_axis_kernel{}, "axis");
    says(float_index_kernel{}, "the indices are integers");
    says(block_scalar_kernel{}, "made of one value");
    says(failed_check_kernel{}, "tl.static_check does not hold");
    says(bits_of_floats_kernel{}, "int32, uint32, int64 or uint64");
  }
}

}  // namespace tl::test::word_data_test
