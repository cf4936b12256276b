// The case of a kernel's file: the words at its head, those of the command line over them, and what they must be.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/case/signature.h"
#include "kernels/problems/problem.h"

namespace tl::cases {

using Words = std::map<std::string, Word>;

// Words of every case, beside those of the kernel's parameters and of free names.
struct OwnWord {
  const char *name, *otherwise, *help;
  bool is_of_tuning = false;  // `tune` alone asks for it
};
inline constexpr OwnWord own_words[] = {
    {"grid", "", "programs an axis, one to three expressions"},
    {"warps", "4", "warps a program"},
    {"stages", "3", "of a loop"},
    {"registers", "", "that a thread takes at most"},
    {"expect", "", "what outputs should be: 'y = maximum(x, 0)', y=y.npy"},
    {"tolerance", "", "how far from that they may be: 1e-3 of the value, and 1e-3"},
    {"fill_seed", "", "of random values; without it, --seed"},
    {"like", "", "a kernel whose arguments, grid, reference and settings are this one's, too"},
    {"configs", "", "what `tune` chooses among: 'BLOCK=256,512 warps=4,8', pointwise(BLOCK=n)", true},
    {"config_key", "", "what a winner holds for: n, cols; else all that no config sets", true},
    {"config_refuse", "", "configs that are not worth a try: 'BLOCK > 2 * n'", true},
    {"config_model", "", "how long a config should take, in ms: '1.0 / BLOCK'; else as the machine model says", true},
    {"config_top_k", "", "how many of the ranked configs are checked and timed", true}};
// The word for a name of Triton's launches and configs: warps for num_warps.
constexpr std::string_view word_of_triton(std::string_view name) {
  return name == "num_warps" ? "warps" : name == "num_stages" ? "stages" : name;
}

bool is_own_word(const std::string& name);

class FileCase {
 public:
  // `file`: as places in its text are told; `otherwise`: words that those of the head come before. Throws Error for a
  // case at its head that is damaged.
  FileCase(std::string file, std::string text, Functor functor, std::vector<Word> otherwise = {});

  const Functor& functor() const { return functor_; }
  const std::string& file() const { return file_; }
  std::string summary() const;  // the first line of the head
  std::vector<problems::Setting> settings() const;
  // As `configs` and its like say, in the head or on the command line.
  static problems::Tuning tuning(const std::shared_ptr<const FileCase>& file_case);
  // Words of the command line, completed by those of the head; every value complete, every name known.
  problems::Settings parse(const std::vector<std::string>& arguments) const;
  Words words_of(const problems::Settings& settings) const;  // with their places, where they come from the head
  bool is_parameter(const std::string& word) const { return parameter(word) != nullptr; }
  std::string canonical(const std::string& word) const;  // x, of x_ptr, where that means one parameter alone

 private:
  const Parameter* parameter(const std::string& word) const;
  const problems::Problem* namesake() const;
  bool takes_tensor(const std::string& word) const;
  Words head() const;
  void add(Words& words, Word word) const;
  std::string constant_word(const Word& word) const;
  void check_texts(const Words& words) const;
  void bind_sizes(Words& words, const std::set<std::string>& given) const;
  void refuse_unknown(const Words& words, const Words& head) const;
  void require_all(const Words& words) const;
  void require_output(const Words& words) const;
  problems::Settings parse_like(const Words& head, const Words& changed) const;
  problems::Setting setting_of(const std::string& name, const Word& word) const;
  std::string example() const;

  std::string file_, text_;
  Functor functor_;
  std::vector<Word> otherwise_;
  std::set<std::string> texts_;  // that the kernel compares a constant with
};

// softmax and rows=4, of "softmax rows=4". Throws Error where there is no such kernel.
std::pair<const problems::Problem*, std::vector<std::string>> like_of(const std::string& text);

}  // namespace tl::cases
