// Writes declared copies of kernels' texts, for the build: declare ROOT OUT FILE... gives OUT/FILE of ROOT/FILE. A copy
// that is there already stays untouched, so that nothing is compiled again for it.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "interp/text/declared.h"

namespace {

std::string content(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path root = count > 1 ? arguments[1] : "", out = count > 2 ? arguments[2] : "";
  for (int i = 3; i < count; ++i) {
    std::ifstream in(root / arguments[i], std::ios::binary), before(out / arguments[i], std::ios::binary);
    const std::string copy = tl::text::declared(arguments[i], content(in));
    if (in && before && content(before) == copy) continue;
    before.close();
    std::filesystem::create_directories((out / arguments[i]).parent_path());
    std::ofstream to(out / arguments[i], std::ios::binary);
    if (!in || !(to << copy).flush()) {
      std::cerr << "cannot copy " << arguments[i] << '\n';
      return 1;
    }
  }
}
