// Triton texts with a few bytes, tokens and lines changed: each is read, specialized and run, or refused in words; none
// crashes or hangs. `fuzz_mutated_triton SEED COUNT FILE..`; where a text breaks something, its number is told, and
// `fuzz_mutated_triton SEED +NUMBER FILE..` prints it.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include "interp/cpu/run.h"
#include "interp/lang/tensor.h"
#include "interp/triton/launch.h"
#include "interp/triton/refusals.h"

using namespace tl;

namespace {

constexpr unsigned most_seconds = 10;  // of one text: more is a hang
volatile std::uint64_t current_seed = 0, current_text = 0;

void tell(int signal) {
  char text[128];
  const int length =
      std::snprintf(text, sizeof text, "signal %d in text %llu of seed %llu\n", signal,
                    static_cast<unsigned long long>(current_text), static_cast<unsigned long long>(current_seed));
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
  _exit(1);
}

class Mutations {
 public:
  Mutations(std::vector<std::string> corpus, std::uint64_t seed) : corpus_(std::move(corpus)), seed_(seed) {}

  std::string text(std::uint64_t number) {
    random_.seed(seed_ * 1'000'003 + number);
    std::string t = any(corpus_);
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      switch (below(3)) {
        case 0: change_byte(t); break;
        case 1: change_token(t); break;
        default: change_line(t); break;
      }
    }
    return t;
  }

 private:
  std::size_t below(std::size_t n) { return n ? random_() % n : 0; }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  void change_byte(std::string& t) {
    static constexpr std::string_view usual = "()[]{}:,.=+-*/%@&|^~<>!\"'\\#;\n\t 0123456789eExf_";
    const std::size_t at = below(t.size());
    const char c = below(8) ? usual[below(usual.size())] : static_cast<char>(below(256));
    if (below(3) == 0 && !t.empty()) t.erase(at, 1);
    else t.insert(at, 1, c);
  }

  // Words and signs; white space stays where it is.
  static std::vector<std::string_view> tokens(const std::string& t) {
    std::vector<std::string_view> all;
    const auto is_word = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(t[i])) || t[i] == '_'; };
    for (std::size_t i = 0; i < t.size();) {
      std::size_t end = i + 1;
      while (is_word(i) && end < t.size() && is_word(end)) ++end;
      if (!std::isspace(static_cast<unsigned char>(t[i]))) all.push_back(std::string_view(t).substr(i, end - i));
      i = end;
    }
    return all;
  }
  void change_token(std::string& t) {
    static const std::vector<std::string> others{"None",
                                                 "True",
                                                 "0",
                                                 "1",
                                                 "-1",
                                                 "3.5",
                                                 "1e400",
                                                 "9223372036854775807",
                                                 "'x'",
                                                 "f'{n}'",
                                                 "x",
                                                 "tl",
                                                 "n",
                                                 "(",
                                                 ")",
                                                 "[",
                                                 "]",
                                                 ",",
                                                 ":",
                                                 "=",
                                                 "==",
                                                 "**",
                                                 "//",
                                                 "<<",
                                                 ">>",
                                                 "%",
                                                 "~",
                                                 "not",
                                                 "and",
                                                 "or",
                                                 "in",
                                                 "is",
                                                 "if",
                                                 "else",
                                                 "for",
                                                 "while",
                                                 "def",
                                                 "return",
                                                 "break",
                                                 "continue",
                                                 "lambda",
                                                 "tl.constexpr",
                                                 "tl.sum(x, 0)",
                                                 "tl.static_range(9)",
                                                 "tl.arange(0, 64)",
                                                 "tl.zeros((4, 4), tl.float32)",
                                                 "[:, None]",
                                                 ".to(tl.float16)",
                                                 ".shape",
                                                 ".dtype",
                                                 "(n, x)",
                                                 "*(1, 2)",
                                                 "range(n)",
                                                 "tl.load(x)",
                                                 "min",
                                                 "len",
                                                 "float('nan')"};
    const auto all = tokens(t);
    if (all.empty()) return;
    const auto at = [&](std::string_view token) { return static_cast<std::size_t>(token.data() - t.data()); };
    const std::string_view one = any(all);
    const std::string other = below(2) ? std::string(any(all)) : any(others);
    switch (below(3)) {
      case 0: t.erase(at(one), one.size()); break;
      case 1: t.insert(at(one), other + ' '); break;
      default: t.replace(at(one), one.size(), ' ' + other + ' '); break;
    }
  }

  void change_line(std::string& t) {
    std::vector<std::string> lines;
    std::istringstream in(t);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (lines.empty()) return;
    const std::size_t at = below(lines.size());
    const std::string other = any(lines);
    switch (below(4)) {
      case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), other); break;
      case 2: std::swap(lines[at], lines[below(lines.size())]); break;
      default: lines[at].insert(0, below(9), ' '); break;
    }
    t.clear();
    for (const std::string& line : lines) t += line + '\n';
  }

  std::vector<std::string> corpus_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
};

// Each kernel with plausible arguments, for a few ops.
void run(const std::string& text) {
  static Tensor memory = make_tensor("x", DType::float32, {64, 64});
  const auto program = std::make_shared<triton::Program>("a.py", text, "/");
  for (const triton::Definition* kernel : program->kernels()) {
    std::vector<Argument> arguments;
    for (const triton::ParameterNode& p : kernel->parameters()) {
      if (triton::is_constexpr(p)) arguments.emplace_back(ConstantArgument{16});
      else if (p.name.ends_with("ptr")) arguments.emplace_back(TensorArgument{memory});
      else arguments.emplace_back(IntArgument{20});
    }
    try {
      cpu::RunOptions options;
      options.threads = 1;
      options.op_limit = 300;
      const Launch launch = triton::launch_of(program, *kernel, {2, 1, 1}, {}, std::move(arguments));
      triton::note_refusals(launch);
      cpu::run(launch, options);
    } catch (const Error&) {
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> corpus;
  for (int i = 3; i < argc; ++i) {
    std::stringstream text;
    text << std::ifstream(argv[i], std::ios::binary).rdbuf();
    corpus.push_back(text.str());
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  Mutations mutations(std::move(corpus), seed);
  if (argv[2][0] == '+') {
    std::cout << mutations.text(count);
    return 0;
  }
  for (const int s : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM}) signal(s, tell);
  std::freopen("/dev/null", "w", stdout);  // what the kernels print
  current_seed = seed;
  for (std::uint64_t i = 0; i < count; ++i) {
    current_text = i;
    alarm(most_seconds);
    try {
      run(mutations.text(i));
    } catch (const Error&) {
    }
  }
  fmt::print(stderr, "{} texts\n", count);
}
