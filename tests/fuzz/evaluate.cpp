// Computes expressions as a case's `expect` does, for expressions.py: a line `3,4;x + 1` of a shape and an expression
// gives a line of values, or `refused: ` and why. The tensors: FOLDER/x.npy and the like.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <sstream>

#include "interp/case/expected.h"
#include "interp/case/npy.h"

using namespace tl;

int main(int, char** arguments) {
  std::vector<Tensor> tensors;
  for (const auto& file : std::filesystem::directory_iterator(arguments[1]))
    tensors.push_back(cases::read_npy(file.path().stem().string(), file.path().string()));
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t end = line.find(';');
    std::vector<std::int64_t> shape;
    std::istringstream dims(line.substr(0, end));
    for (std::string n; std::getline(dims, n, ',');) shape.push_back(std::stoll(n));
    try {
      const Tensor output = make_tensor("output", DType::float64, shape);
      const cases::Word word{"expect", "output = " + line.substr(end + 1)};
      const auto expected = cases::expected_of(word, {output}, tensors, cases::Scope({}));
      std::vector<std::int64_t> all(static_cast<std::size_t>(output.elems()));
      std::iota(all.begin(), all.end(), 0);
      for (const double v : expected(0, all)) std::printf("%.17g ", v);
      std::printf("\n");
    } catch (const Error& e) {
      std::printf("refused: %s\n", e.what());
    }
  }
}
