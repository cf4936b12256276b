#include "interp/case/file_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "interp/case/fill.h"
#include "interp/case/scope.h"
#include "interp/lang/error.h"
#include "interp/lang/text.h"

namespace tl::cases {

using problems::Setting;

namespace {

constexpr const char* own_words[] = {"grid",   "warps",     "stages",
                                     "expect", "tolerance", "like"};  // the others are a kernel's or free

// Whether it stands in another word's expression.
bool is_used(const std::string& name, const Words& words) {
  for (const auto& [other, word] : words)
    for (const text::Token& t : text::lex(word.value))
      if (other != name && t.is(name)) return true;
  return false;
}

}  // namespace

FileCase::FileCase(std::string file, std::string text, Functor functor)
    : file_(std::move(file)), text_(std::move(text)), functor_(std::move(functor)) {
  head();
}

// softmax and rows=4, of "softmax rows=4".
std::pair<const problems::Problem*, std::vector<std::string>> like_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (words.empty()) throw Error("like= names no kernel", "like=softmax; `tilescope list` names them all");
  if (problems::names_file(words.front()))
    throw Error("like=" + words.front() + " is a file, whose case is its own", "name one of `tilescope list`");
  const problems::Problem& base = problems::find(words.front());
  words.erase(words.begin());
  return {&base, words};
}

// x, of x_ptr and of x, where the kernel has one of them.
const Parameter* FileCase::parameter(const std::string& word) const {
  for (const Parameter& p : functor_.parameters)
    if (p.name == word) return &p;
  for (const Parameter& p : functor_.parameters)
    if (p.short_name() == word) return &p;
  return nullptr;
}

std::string FileCase::canonical(const std::string& word) const {
  const Parameter* const p = parameter(word);
  if (!p) return word;
  return parameter(p->short_name()) == p ? p->short_name() : p->name;
}

bool FileCase::takes_tensor(const std::string& word) const {
  const Parameter* const p = parameter(word);
  return p && (p->kind == 't' || p->kind == 'd');
}

void FileCase::add(Words& words, Word word) const {
  if (trimmed(word.value).empty()) return;  // unsaid
  word.name = canonical(word.name);
  if (const Parameter* const p = parameter(word.name)) {
    if (word.value == "None")
      throw Error(fmt::format("{}{}: a kernel takes no None", word.place, word.text()),
                  "give a tensor, and a constexpr_ flag that says whether to use it");
    if (takes_tensor(word.name) && !is_tensor(word.value))
      throw Error(
          fmt::format("{}{}: {} is a {}, and this is no tensor", word.place, word.text(), p->name, kind_name(p->kind)),
          fmt::format("{}={}f32[1000]", word.name, p->is_stored ? "out:" : ""));
    if (p->kind != '?' && !takes_tensor(word.name) && is_tensor(word.value))
      throw Error(fmt::format("{}{}: {} is an {}, no tensor", word.place, word.text(), p->name, kind_name(p->kind)),
                  fmt::format("{}=1000", word.name));
  }
  if (word.name == "expect" || word.name == "like") word.value = trimmed(word.value);
  else if (is_tensor(word.value)) word.value = tensor_of(word).text();
  else word.value = without_power(trimmed(word.value));
  const std::string name = word.name;
  const auto [before, is_first] = words.emplace(name, word);
  if (!is_first)
    throw Error(fmt::format("{}{} is given twice: {} and {}", word.place, name, before->second.text(), word.text()),
                "leave one of them out");
}

Words FileCase::head() const {
  Words words;
  for (Word& w : case_in(file_, text_, functor_.name)) add(words, std::move(w));
  return words;
}

// cols, of x=f32[rows, cols]@x.npy: what the command line does not say, the file does.
void FileCase::bind_sizes(Words& words, const std::set<std::string>& given) const {
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
  std::vector<std::string> names(std::begin(own_words), std::end(own_words));
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
    const bool is_tensor = p.kind == 't' || p.kind == 'd' || p.kind == '?';
    words += fmt::format(" {}={}", name,
                         is_tensor       ? std::string(p.is_stored ? "out:" : "") + "f32[1000]"
                         : p.kind == 'i' ? "1000"
                         : p.kind == 'f' ? "0.5"
                                         : "64");
    if (p.kind == 'i' && n.empty()) n = name;
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
                fmt::format("give them here, or behind `// case:` in {}, for instance:{}", file_, example()));
  require_output(words);
}

void FileCase::require_output(const Words& words) const {
  bool has_output = false;
  for (const auto& [name, word] : words) {
    const Parameter* const p = parameter(name);
    if (!p || !is_tensor(word.value)) continue;
    const TensorWord t = tensor_of(word);
    has_output |= t.is_output();
    if (p->is_stored && t.role == TensorWord::Role::unsaid)
      throw Error(
          fmt::format("{}{}: the kernel stores to {}, and the case calls it an input", word.place, word.text(), name),
          fmt::format("{}=out:{}, or inout: where it holds values before", name, t.text()));
  }
  if (!has_output)
    throw Error(fmt::format("the case of {} has no output", functor_.name),
                "put out: before the dtype of the tensor that it stores to, as in y=out:f32[1000]");
}

// like=softmax, or like='softmax rows=4': what else is said are settings of that kernel.
problems::Settings FileCase::parse_like(const Words& head, const Words& changed) const {
  Words words = head.contains("like") ? head : Words{};  // else the head's case is another one
  for (const auto& [name, word] : changed) words[name] = word;
  const auto [base, own] = like_of(words.at("like").value);
  std::vector<std::string> arguments = own;
  for (const auto& [name, word] : words)
    if (name != "like") arguments.push_back(word.text());
  const problems::Settings theirs = problems::parse(*base, arguments);
  problems::Settings settings;
  for (const Setting& s : this->settings()) settings.values[s.name] = "";
  std::string like = base->name;
  for (const Setting& s : base->settings)
    if (!theirs.text(s.name).empty()) like += " " + s.name + "=" + theirs.text(s.name);
  settings.values["like"] = like;
  return settings;
}

Words FileCase::words_of(const problems::Settings& settings) const {
  Words words;
  const Words head = this->head();
  for (const auto& [name, value] : settings.values) {
    const auto it = head.find(name);
    words[name] = {name, value, it != head.end() && it->second.value == value ? it->second.place : ""};
  }
  return words;
}

problems::Settings FileCase::parse(const std::vector<std::string>& arguments) const {
  const Words head = this->head();
  Words changed;
  for (const std::string& argument : arguments) add(changed, word_of(argument));
  std::set<std::string> given;
  Words words = head;
  if (changed.contains("like") || head.contains("like")) return parse_like(head, changed);
  for (auto& [name, word] : changed) {
    const auto before = words.find(name);
    if (before != words.end() && parameter(name) && is_tensor(word.value) && is_tensor(before->second.value))
      word.value = merged(tensor_of(word), tensor_of(before->second)).text();
    given.insert(name);
    words[name] = word;
  }
  bind_sizes(words, given);
  refuse_unknown(words, head);
  require_all(words);
  const Scope scope(words);
  problems::Settings settings;
  for (const auto& [name, word] : words) settings.values[name] = word.value;
  for (const Setting& s : this->settings()) {  // what is shown as a number is one
    const auto it = words.find(s.name);
    if (it == words.end()) settings.values[s.name] = s.default_value;
    else if (s.kind == Setting::Kind::integer)
      settings.values[s.name] = std::to_string(scope.integer(it->second, it->second.value));
    else if (s.kind == Setting::Kind::boolean)
      settings.values[s.name] = scope.integer(it->second, it->second.value) ? "true" : "false";
  }
  return settings;
}

Setting FileCase::setting_of(const std::string& name, const Word& word) const {
  Setting s{name, word.value, Setting::Kind::text, "", -1e12, 1e12};
  const Parameter* const p = parameter(name);
  if (p) s.help = fmt::format("{} {}", kind_name(p->kind), p->name);
  std::int64_t whole = 0;
  const char* const end = word.value.data() + word.value.size();
  if (!word.value.empty() && std::from_chars(word.value.data(), end, whole).ptr == end) {
    s.kind = Setting::Kind::integer;
    s.power_of_two = p && p->kind == 'c' && whole > 0 && (whole & (whole - 1)) == 0;
    s.min = whole < 0 ? -1e12 : name == "grid" || s.power_of_two ? 1 : 0;
  } else if (word.value == "true" || word.value == "false") {
    s.kind = Setting::Kind::boolean;
  }
  return s;
}

std::vector<Setting> FileCase::settings() const {
  const Words head = this->head();
  const auto value = [&](const std::string& name, const char* otherwise) {
    const auto it = head.find(name);
    return it == head.end() ? Word{name, otherwise} : it->second;
  };
  std::vector<Setting> all;
  for (const Parameter& p : functor_.parameters)
    all.push_back(setting_of(canonical(p.name), value(canonical(p.name), "")));
  for (const auto& [name, word] : head)
    if (!parameter(name) && !std::ranges::count(own_words, name)) all.push_back(setting_of(name, word));
  all.push_back(setting_of("grid", value("grid", "")));
  all.push_back(setting_of("warps", value("warps", "4")));
  all.push_back(setting_of("stages", value("stages", "3")));
  all.push_back(setting_of("expect", value("expect", "")));
  all.push_back(setting_of("tolerance", value("tolerance", "")));
  all.push_back(setting_of("like", value("like", "")));
  const char* const helps[] = {"programs an axis, one to three expressions",
                               "warps a program",
                               "of a pipelined loop",
                               "what outputs should be: 'y = max(x, 0)', y=y.npy",
                               "how far from that they may be: 1e-3 of the value, and 1e-3",
                               "a kernel whose arguments, grid, reference and settings are this one's, too"};
  for (std::size_t i = 0; i < std::size(helps); ++i) all[all.size() - std::size(helps) + i].help = helps[i];
  return all;
}

// The first line of the file's head.
std::string FileCase::summary() const {
  for (const std::string& line : lines_of(text_)) {
    if (!line.starts_with("//")) break;
    const std::string said = trimmed(line.substr(2));
    if (!said.empty() && !said.starts_with("case")) return said;
  }
  return functor_.name;
}

}  // namespace tl::cases
