// Writes declared copies of kernels' texts, for the build: declare ROOT OUT FILE... gives OUT/FILE of ROOT/FILE.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "interp/text/declared.h"

int main(int count, char** arguments) {
  const std::filesystem::path root = count > 1 ? arguments[1] : "", out = count > 2 ? arguments[2] : "";
  for (int i = 3; i < count; ++i) {
    std::ifstream in(root / arguments[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::create_directories((out / arguments[i]).parent_path());
    std::ofstream to(out / arguments[i], std::ios::binary);
    if (!in || !(to << tl::text::declared(arguments[i], text)).flush()) {
      std::cerr << "cannot copy " << arguments[i] << '\n';
      return 1;
    }
  }
}
