// What a case must hold: sizes that fit its files, every parameter, an output, no name that nothing uses.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "interp/case/file_case.h"
#include "interp/case/fill.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::cases {

namespace {

// Whether it stands in another word's expression; `configs` gives names values, and uses none.
bool is_used(const std::string& name, const Words& words) {
  for (const auto& [other, word] : words)
    for (const text::Token& t : text::lex(word.value))
      if (other != name && other != "configs" && t.is(name)) return true;
  return false;
}

// All that are missing at once.
void require_files(const Words& words) {
  std::vector<std::string> missing;
  for (const auto& [name, word] : words) {
    if (name == "expect" || !is_tensor(word.value)) continue;
    const std::string file = tensor_of(word).file;
    std::error_code unknown;
    if (!file.empty() && !std::filesystem::exists(file, unknown)) missing.push_back(file);
  }
  if (missing.size() > 1)
    throw Error(fmt::format("there are no files \"{}\"", fmt::join(missing, "\", \"")),
                "check the paths, which start from the folder that tilescope runs in");
}

}  // namespace

// cols, of x=f32[rows, cols]@x.npy: what the command line does not say, the file does.
void FileCase::bind_sizes(Words& words, const std::set<std::string>& given) const {
  require_files(words);
  std::map<std::string, std::string> bound_by;
  for (auto& [name, word] : words) {
    if (name == "expect" || !is_tensor(word.value)) continue;
    TensorWord t = tensor_of(word);
    if (t.file.empty()) continue;
    const FileShape file = shape_of_file(word, t.file);
    if (!t.dtype) t.dtype = file.dtype;
    if (!t.dims) {
      t.dims.emplace();
      for (const std::int64_t n : file.shape) t.dims->push_back(std::to_string(n));
    }
    word.value = t.text();
    if (t.dims->size() != file.shape.size())
      throw Error(fmt::format("{}{}: \"{}\" is {}, and the case says {} axes", word.place, word.text(), t.file,
                              shape_text(file.shape), t.dims->size()),
                  "give it another shape in NumPy, x.reshape(...), or the case another one");
    for (std::size_t i = 0; i < file.shape.size(); ++i) {
      const std::string& dim = (*t.dims)[i];
      const bool is_name = std::ranges::all_of(dim, [](char c) { return std::isalnum(c) || c == '_'; }) &&
                           !std::isdigit(static_cast<unsigned char>(dim[0]));
      if (!is_name || given.contains(dim)) continue;
      const std::string extent = std::to_string(file.shape[i]);
      if (const auto [by, is_first] = bound_by.emplace(dim, t.file); !is_first && words[dim].value != extent)
        throw Error(
            fmt::format("{} is {} in \"{}\" and {} in \"{}\"", dim, words[dim].value, by->second, extent, t.file),
            "give files whose sizes fit");
      words[dim] = {dim, extent};
    }
  }
}

void FileCase::refuse_unknown(const Words& words, const Words& head) const {
  std::vector<std::string> names;
  for (const OwnWord& w : own_words) names.emplace_back(w.name);
  for (const Parameter& p : functor_.parameters) names.push_back(canonical(p.name));
  for (const auto& [name, word] : head)
    if (!std::ranges::count(names, name)) names.push_back(name);
  for (const auto& [name, word] : words) {
    if (std::ranges::count(names, name) || is_used(name, words)) continue;
    const std::string guess = nearest(name, names);
    throw Error(fmt::format("{}{} has no parameter \"{}\", and nothing uses it", word.place, functor_.name, name),
                guess.empty() ? fmt::format("its parameters: {}",
                                            fmt::join(names.begin() + std::ssize(own_words), names.end(), ", "))
                              : fmt::format("did you mean {}?", guess));
  }
}

// The words of a case as they might be, for one who begins.
std::string FileCase::example() const {
  std::string words, n, block;
  for (const Parameter& p : functor_.parameters) {
    const std::string name = canonical(p.name);
    const bool is_tensor = p.kind == 't' || p.kind == 'd' || p.is_accessed;
    const bool is_int = p.kind == 'i' || (p.kind == '?' && !p.is_accessed);
    words += fmt::format(" {}={}", name,
                         is_tensor       ? std::string(p.is_stored ? "out:" : "") + "f32[1000]"
                         : is_int        ? "1000"
                         : p.kind == 'f' ? "0.5"
                                         : "64");
    if (is_int && (n.empty() || (name[0] == 'n' && n[0] != 'n'))) n = name;
    if (p.kind == 'c' && block.empty()) block = name;
  }
  return words + (n.empty() || block.empty() ? " grid=1" : fmt::format(" 'grid=cdiv({}, {})'", n, block));
}

void FileCase::require_all(const Words& words) const {
  std::vector<std::string> missing;
  for (const Parameter& p : functor_.parameters)
    if (!words.contains(canonical(p.name))) missing.push_back(canonical(p.name));
  if (!words.contains("grid")) missing.push_back("grid");
  if (!missing.empty())
    throw Error(fmt::format("the case of {} leaves out {}", functor_.name, fmt::join(missing, ", ")),
                fmt::format("give them here, or behind `{} case:` in {}, for instance:{}", comment_mark(file_), file_,
                            example()));
  require_output(words);
}

void FileCase::require_output(const Words& words) const {
  bool has_output = false;
  for (const auto& [name, word] : words) {
    const Parameter* const p = parameter(name);
    if ((!p && is_own_word(name)) || !is_tensor(word.value)) continue;
    const TensorWord t = tensor_of(word);
    has_output |= t.is_output();
    if (p && p->is_stored && t.role == TensorWord::Role::unsaid)
      throw Error(
          fmt::format("{}{}: the kernel stores to {}, and the case calls it an input", word.place, word.text(), name),
          fmt::format("{}=out:{}, or inout: where it holds values before", name, t.text()));
  }
  if (has_output) return;
  const auto stored = std::ranges::find(functor_.parameters, true, &Parameter::is_stored);
  const auto word = stored == functor_.parameters.end() ? words.end() : words.find(canonical(stored->name));
  if (word != words.end() && !is_tensor(word->second.value))
    throw Error(fmt::format("{}{}: the kernel stores to {}, and this is no tensor", word->second.place,
                            word->second.text(), word->first),
                fmt::format("{}=out:f32[1000]", word->first));
  throw Error(fmt::format("the case of {} has no output", functor_.name),
              "put out: before the dtype of the tensor that it stores to, as in y=out:f32[1000]");
}

}  // namespace tl::cases
