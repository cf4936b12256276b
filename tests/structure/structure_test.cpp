// Who may include whom: the arrows between the folders, read from the #include lines.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "interp/text/lexer.h"

namespace fs = std::filesystem;

namespace {

struct Rule {
  std::string folder;                // the longest prefix that fits a file decides
  std::vector<std::string> allowed;  // prefixes of what its quoted includes may name
};

const std::vector<Rule> rules = {
    {"interp/tl.h", {"interp/lang/", "interp/cpu/", "interp/cuda/device/"}},
    {"interp/editor.h", {}},
    {"interp/lang/", {"interp/lang/"}},
    {"interp/text/", {"interp/text/", "interp/lang/"}},
    {"interp/trace/", {"interp/trace/", "interp/lang/"}},
    {"interp/debug/",
     {"interp/debug/", "interp/cpu/", "interp/triton/", "interp/text/", "interp/trace/", "interp/lang/"}},
    {"interp/dap/", {"interp/dap/", "interp/debug/", "interp/trace/", "interp/lang/"}},
    {"interp/cpu/", {"interp/cpu/", "interp/rules/", "interp/lang/", "interp/trace/", "interp/tl.h"}},
    {"interp/triton/", {"interp/triton/", "interp/cpu/", "interp/text/", "interp/sources/", "interp/lang/"}},
    {"interp/sources/", {"interp/sources/", "interp/lang/"}},
    {"interp/rules/", {"interp/rules/", "interp/lang/"}},
    {"interp/cuda/device/", {"interp/cuda/device/", "interp/rules/", "interp/lang/"}},
    {"interp/cuda/host/", {"interp/cuda/host/", "interp/rules/", "interp/lang/", "interp/text/", "interp/sources/"}},
    {"interp/testing/", {"interp/tl.h", "interp/cpu/", "interp/cuda/host/", "interp/sources/", "interp/lang/"}},
    {"interp/machine/",
     {"interp/machine/device.h", "interp/machine/device_checks.h", "interp/machine/device_files.h",
      "interp/machine/dot_rate.h", "interp/trace/", "interp/lang/", "interp/sources/"}},
    {"interp/machine/access/",
     {"interp/machine/access/", "interp/machine/device.h", "interp/rules/", "interp/trace/", "interp/lang/"}},
    {"interp/machine/schedule/",
     {"interp/machine/schedule/", "interp/machine/access/", "interp/machine/device.h", "interp/machine/dot_rate.h",
      "interp/trace/", "interp/lang/"}},
    {"interp/machine/limits/",
     {"interp/machine/limits/", "interp/machine/schedule/", "interp/machine/access/", "interp/machine/device.h",
      "interp/machine/dot_rate.h", "interp/trace/", "interp/lang/"}},
    {"interp/hostcc/", {"interp/hostcc/", "interp/text/", "interp/sources/", "interp/lang/", "interp/cpu/"}},
    {"interp/case/",
     {"interp/case/", "interp/hostcc/", "interp/triton/", "interp/debug/", "interp/text/", "interp/sources/",
      "interp/lang/", "kernels/problems/"}},
    {"interp/report/", {"interp/report/", "interp/debug/", "interp/trace/", "interp/sources/", "interp/lang/"}},
    {"interp/run/",
     {"interp/run/", "interp/report/", "interp/hostcc/", "interp/triton/", "interp/cpu/", "interp/cuda/host/",
      "interp/machine/", "interp/rules/", "interp/debug/", "interp/text/", "interp/trace/", "interp/sources/",
      "interp/lang/", "kernels/problems/"}},
    {"interp/tune/",
     {"interp/tune/", "interp/run/", "interp/report/", "interp/hostcc/", "interp/cpu/", "interp/cuda/host/",
      "interp/machine/", "interp/debug/", "interp/lang/", "kernels/problems/"}},
    {"interp/prove/",
     {"interp/prove/", "interp/run/", "interp/case/", "interp/cpu/", "interp/debug/", "interp/report/", "interp/trace/",
      "interp/lang/", "kernels/problems/"}},
    {"interp/cli/", {"interp/", "kernels/problems/"}},
    {"interp/python/",
     {"interp/python/", "interp/triton/", "interp/run/", "interp/case/", "interp/hostcc/", "interp/cuda/host/",
      "interp/cpu/", "interp/debug/", "interp/trace/", "interp/sources/", "interp/report/", "interp/lang/",
      "kernels/problems/"}},
    {"kernels/", {"interp/tl.h", "kernels/offsets.h"}},
    {"kernels/reference/", {"kernels/reference/"}},
    {"kernels/peers/", {"kernels/peers/", "interp/lang/"}},
    {"kernels/problems/", {"kernels/", "interp/lang/", "interp/cpu/launch.h", "interp/tl.h"}},
    {"viz/model/",
     {"viz/model/", "interp/report/", "interp/machine/", "interp/rules/", "interp/debug/", "interp/trace/",
      "interp/lang/"}},
    {"viz/export/", {"viz/export/", "viz/model/", "interp/machine/", "interp/sources/", "interp/lang/"}},
    {"kernels/triton/", {"kernels/triton/", "interp/sources/"}},
    {"viz/panels/",
     {"viz/panels/", "viz/model/", "kernels/triton/", "interp/machine/", "interp/debug/", "interp/text/",
      "interp/trace/", "interp/lang/"}},
    {"viz/app/",
     {"viz/", "interp/cli/options.h", "interp/cli/part.h", "interp/run/", "interp/report/", "interp/machine/",
      "interp/debug/", "interp/trace/", "interp/sources/", "interp/lang/", "kernels/problems/"}},
    {"viz/scene/",
     {"viz/scene/", "viz/model/", "interp/run/", "interp/tune/", "interp/report/", "interp/cpu/", "interp/cuda/host/",
      "interp/machine/", "interp/debug/", "interp/trace/", "interp/lang/", "kernels/problems/"}},
    {"viz/page/",
     {"viz/page/", "viz/scene/", "viz/model/", "viz/export/", "interp/cli/options.h", "interp/cli/part.h",
      "interp/run/", "interp/case/", "interp/triton/", "interp/report/", "interp/machine/", "interp/debug/",
      "interp/trace/", "interp/lang/"}},
    {"viz/cli/",
     {"viz/cli/", "viz/scene/", "viz/model/", "viz/export/", "interp/cli/options.h", "interp/cli/part.h", "interp/run/",
      "interp/report/", "interp/machine/", "interp/debug/", "interp/trace/", "interp/lang/", "kernels/problems/"}},
    {"lessons/", {"lessons/",          "interp/tl.h",        "interp/cli/part.h",
                  "interp/hostcc/",    "interp/run/",        "interp/triton/",
                  "interp/report/",    "interp/cpu/",        "interp/cuda/host/",
                  "interp/machine/",   "interp/tune/",       "interp/case/",
                  "interp/debug/",     "interp/text/",       "interp/trace/",
                  "interp/sources/",   "interp/lang/",       "kernels/offsets.h",
                  "kernels/problems/", "kernels/reference/", "viz/"}},
};

const Rule* rule_of(const std::string& file) {
  const Rule* best = nullptr;
  for (const Rule& r : rules)
    if (file.starts_with(r.folder) && (!best || r.folder.size() > best->folder.size())) best = &r;
  return best;
}

bool is_allowed(const Rule& rule, const std::string& include) {
  for (const std::string& prefix : rule.allowed)
    if (include.starts_with(prefix)) return true;
  return false;
}

std::vector<fs::path> sources_under(const fs::path& root) {
  std::vector<fs::path> found;
  for (const char* top : {"interp", "kernels", "viz", "lessons"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const auto ext = entry.path().extension();
      if (ext == ".h" || ext == ".cpp" || ext == ".cuh") found.push_back(entry.path());
    }
  }
  return found;
}

}  // namespace

TEST_CASE("the rules refuse an arrow that runs upstream") {
  CHECK_FALSE(is_allowed(*rule_of("interp/lang/dtype.h"), "interp/cpu/block.h"));
  CHECK_FALSE(is_allowed(*rule_of("kernels/softmax.h"), "interp/cpu/block.h"));
  CHECK(is_allowed(*rule_of("kernels/softmax.h"), "interp/tl.h"));
}

TEST_CASE("every #include follows the arrows between the folders") {
  const fs::path root = SOURCE_DIR;
  const std::regex quoted(R"re(^\s*#\s*include\s+"([^"]+)")re");
  int lines = 0;
  for (const fs::path& path : sources_under(root)) {
    const std::string file = fs::relative(path, root).generic_string();
    const Rule* rule = rule_of(file);
    REQUIRE_MESSAGE(rule, file << " stands in a folder without a rule");
    std::ifstream in(path);
    std::string line;
    for (int n = 1; std::getline(in, line); ++n) {
      std::smatch m;
      if (!std::regex_search(line, m, quoted)) continue;
      ++lines;
      CHECK_MESSAGE(is_allowed(*rule, m[1].str()), file << ":" << n << " includes " << m[1].str());
    }
  }
  CHECK(lines > 10);
}

// An op's family stands in the manifest, interp/lang/op.h; its number says nothing.
TEST_CASE("no predicate depends on the order of the ops") {
  const std::regex order(R"re([<>]=?\s+(trace::)?Op::|(trace::)?Op::\w+\s+[<>]=?\s)re");
  CHECK(std::regex_search("return op >= Op::lt && true", order));
  CHECK(std::regex_search("trace::Op::sum < op", order));
  CHECK_FALSE(std::regex_search("infix<Op::add>(a); case Op::lt: return x < y;", order));
  for (const fs::path& path : sources_under(SOURCE_DIR)) {
    std::ifstream in(path);
    std::string line;
    for (int n = 1; std::getline(in, line); ++n)
      CHECK_MESSAGE(!std::regex_search(line, order), path.string() << ":" << n << ": " << line);
  }
}

namespace {

// p.dtype, tl.float32: names joined by points.
bool is_member(const std::vector<tl::text::Token>& tokens, std::size_t first, std::size_t last, std::string_view name) {
  for (std::size_t i = first; i < last; ++i)
    if (tokens[i].kind != tl::text::TokenKind::name && !tokens[i].is(".")) return false;
  return last >= first + 3 && tokens[last - 1].is(name) && tokens[last - 2].is(".");
}

// Whether a ternary of the text has a dtype on either side.
bool chooses_dtype(const std::string& text) {
  const auto tokens = tl::text::lex(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("?")) continue;
    std::size_t ends[2] = {0, 0};  // of both sides
    for (std::size_t j = i + 1, nested = 0; j < tokens.size() && !ends[1]; ++j) {
      if (tokens[j].partner > static_cast<int>(j)) j = static_cast<std::size_t>(tokens[j].partner);
      else if (tokens[j].is("?")) ++nested;
      else if (tokens[j].is(":") && nested > 0) --nested;
      else if (tokens[j].is(":") && !ends[0]) ends[0] = j;
      else if (tokens[j].is(",") || tokens[j].is(";") || tokens[j].is(")")) ends[1] = j;
    }
    if (is_member(tokens, i + 1, ends[0], "dtype") || (ends[0] && is_member(tokens, ends[0] + 1, ends[1], "dtype")))
      return true;
  }
  return false;
}

}  // namespace

// `c ? p.dtype : q.dtype` compiles on the interpreter, where both are values of one type, and not on CUDA, where they
// are types.
TEST_CASE("no kernel chooses a dtype by a ternary") {
  for (const char* text :
       {"x.to(c ? p.dtype : q.dtype)", "x.to(n > 3 ? tl.float32 : q.dtype)", "x.to(c ? tl::float32 : q.dtype)",
        "x.to(c ? /* then */ p.dtype : y)", "x.to(a ? b ? c : d : q.dtype)"})
    CHECK_MESSAGE(chooses_dtype(text), text);
  for (const char* text : {"auto y = c ? a : b; z.to(p.dtype)", "// c ? p.dtype : q.dtype",
                           "f(\"c ? p.dtype : q.dtype\")", "auto y = c ? f(p.dtype) : b;"})
    CHECK_MESSAGE(!chooses_dtype(text), text);
  int kernels = 0;
  for (const char* folder : {"kernels", "lessons"}) {
    if (!fs::is_directory(fs::path(SOURCE_DIR) / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      CHECK_MESSAGE(!chooses_dtype({std::istreambuf_iterator<char>(in), {}}), entry.path().string());
      ++kernels;
    }
  }
  CHECK(kernels > 20);
}
