// The list of problems: a line of names here, a file of each beside this one.
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "interp/lang/error.h"
#include "interp/lang/text.h"
#include "kernels/problems/problem.h"

namespace tl::problems {

// clang-format off
#define TL_PROBLEMS(X)                                                                                                 \
  X(copy) X(copy_wrong_offsets) X(copy_wrong_stride) X(add) X(grey) X(swizzle) X(matmul) X(grouped_matmul)             \
  X(lecture_matmul) X(lecture_grouped_matmul) X(matmul_unmasked) X(block_pointer_matmul) X(transposed_matmul)          \
  X(persistent_matmul) X(unfused_softmax) X(softmax) X(layernorm) X(dropout) X(dropout_with_mask) X(attention)         \
  X(transpose) X(sum)
// clang-format on

#define TL_DECLARE(name) Problem name();
TL_PROBLEMS(TL_DECLARE)
#undef TL_DECLARE

const std::vector<Problem>& all() {
#define TL_MAKE(name) name(),
  static const std::vector<Problem> problems{TL_PROBLEMS(TL_MAKE)};
#undef TL_MAKE
  return problems;
}

namespace {

Problem (*problem_of_file)(const std::string& name) = nullptr;

}  // namespace

void read_files_by(Problem (*reader)(const std::string& name)) { problem_of_file = reader; }

bool names_file(std::string_view name) {
  name = name.substr(0, name.rfind(".h:") == name.npos ? name.npos : name.rfind(':'));
  return name.ends_with(".h");
}

const Problem& find(std::string_view wanted) {
  const auto it = std::ranges::find(all(), wanted, &Problem::name);
  if (it != all().end()) return *it;
  const std::string name(wanted);
  if (names_file(name) && problem_of_file) {
    static std::map<std::string, Problem> files;  // read once, and again when they were saved
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::error_code none;
    const auto saved = std::filesystem::last_write_time(name.substr(0, name.rfind(".h") + 2), none);
    const std::string key = name + " " + std::to_string(saved.time_since_epoch().count());
    const auto known = files.find(key);
    return known != files.end() ? known->second : files.emplace(key, problem_of_file(name)).first->second;
  }
  std::vector<std::string> names;
  for (const Problem& p : all()) names.push_back(p.name);
  const std::string guess = nearest(name, names);
  std::error_code none;
  if (problem_of_file && std::filesystem::is_regular_file(name + ".h", none))
    throw Error("there is no kernel \"" + name + "\"", "the file here is " + name + ".h");
  throw Error("there is no kernel \"" + name + "\"",
              guess.empty() ? "`tilescope list` names them all" : "did you mean " + guess + "?");
}

}  // namespace tl::problems
