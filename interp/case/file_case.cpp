#include "interp/case/file_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "interp/case/fill.h"
#include "interp/case/scope.h"
#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/text.h"
#include "interp/text/lexer.h"

namespace tl::cases {

using problems::Setting;

bool is_own_word(const std::string& name) {
  return std::ranges::any_of(own_words, [&](const OwnWord& w) { return name == w.name; });
}

FileCase::FileCase(std::string file, std::string text, Functor functor, std::vector<Word> otherwise)
    : file_(std::move(file)), text_(std::move(text)), functor_(std::move(functor)), otherwise_(std::move(otherwise)) {
  const auto tokens = text::lex(text_);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto compares = [&](std::size_t at) {
      return at < tokens.size() && (tokens[at].is("==") || tokens[at].is("!="));
    };
    const text::Token& t = tokens[i];
    if (t.kind == text::TokenKind::literal && (is_python(file_) || t.text.find('"') != t.text.npos) &&
        (compares(i - 1) || compares(i + 1)))
      texts_.emplace(text::content_of(t));
  }
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
  if (!p) return std::string(word_of_triton(word));
  return parameter(p->short_name()) == p ? p->short_name() : p->name;
}

bool FileCase::takes_tensor(const std::string& word) const {
  const Parameter* const p = parameter(word);
  return p && (p->kind == 't' || p->kind == 'd');
}

// A constexpr_ parameter's value: leaky_relu is "leaky_relu" if the kernel compares with that text; f32 is tl.float32.
std::string FileCase::constant_word(const Word& word) const {
  if (is_text(word.value)) return word.value;
  if (word.is_quoted || texts_.contains(word.value)) return '"' + word.value + '"';
  const auto dtype = dtype_constant(word.value);
  return dtype ? std::string("tl.") + language_name_of(*dtype) : word.value;
}

// A name that is no number of the case, where the kernel knows texts.
void FileCase::check_texts(const Words& words) const {
  const auto is_name = [](const std::string& s) {
    return !std::isdigit(static_cast<unsigned char>(s[0])) &&
           std::ranges::all_of(s, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  };
  for (const Parameter& p : functor_.parameters) {
    const auto it = words.find(canonical(p.name));
    if (p.kind != 'c' || texts_.empty() || it == words.end()) continue;
    const std::string& value = it->second.value;
    if (!is_name(value) || value == "true" || value == "false" || value == "None" || words.contains(value)) continue;
    const std::string guess = nearest(value, {texts_.begin(), texts_.end()});
    throw Error(fmt::format("{}{}: nothing is called {}, and the kernel compares with \"{}\"", it->second.place,
                            it->second.text(), value, fmt::join(texts_, "\", \"")),
                guess.empty() ? fmt::format("another text stands in quotes: {}='\"{}\"'", p.name, value)
                              : fmt::format("did you mean {}?", guess));
  }
}

void FileCase::add(Words& words, Word word) const {
  if (trimmed(word.value).empty() && !word.is_quoted) return;  // unsaid
  word.name = canonical(word.name);
  if (const Parameter* const p = parameter(word.name)) {
    if (p->kind == 'c') word.value = constant_word(word);
    const bool is_none = word.value == "None";
    if (is_none && p->kind != 't' && p->kind != '?' && !is_python(file_))
      throw Error(fmt::format("{}{}: {} is {}, and only a pointer may be None", word.place, word.text(), p->name,
                              a_kind(p->kind)),
                  "give a value; a pointer that is None is asked by tl.is_none");
    if (takes_tensor(word.name) && !is_tensor(word.value) && !is_none)
      throw Error(
          fmt::format("{}{}: {} is {}, and this is not a tensor", word.place, word.text(), p->name, a_kind(p->kind)),
          word.value.ends_with(".npy")
              ? fmt::format("{0}=@{1} reads it; --save {0}={1} writes it, one --save a tensor", word.name, word.value)
              : fmt::format("{}={}f32[1000]", word.name, p->is_stored ? "out:" : ""));
    if (p->kind != '?' && !takes_tensor(word.name) && is_tensor(word.value))
      throw Error(fmt::format("{}{}: {} is {}, no tensor", word.place, word.text(), p->name, a_kind(p->kind)),
                  fmt::format("{}=1000", word.name));
  }
  if (word.name == "expect" || word.name == "like" || word.name.starts_with("config")) word.value = trimmed(word.value);
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
  for (const Word& w : otherwise_)
    if (!words.contains(canonical(w.name))) add(words, w);
  return words;
}

// The kernel that is built in by the name of this functor, softmax of softmax_kernel, or of the file.
const problems::Problem* FileCase::namesake() const {
  const std::string end = "_kernel", &name = functor_.name;
  for (const std::string& asked :
       {name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name, file_.substr(0, file_.rfind('.'))})
    for (const problems::Problem& p : problems::all())
      if (p.name == asked) return &p;
  return nullptr;
}

// like=softmax, or like='softmax rows=4': what else is said are settings of that kernel.
problems::Settings FileCase::parse_like(const Words& head, const Words& changed) const {
  Words words = head.contains("like") ? head : Words{};  // else the head's case is another one
  for (const auto& [name, word] : changed) words[name] = word;
  const auto [base, own] = like_of(words.at("like").value);
  std::vector<std::string> arguments = own;
  for (const auto& [name, word] : words)
    if (name != "like" && name != "fill_seed") arguments.push_back(word.text());
  const problems::Settings theirs = problems::parse(*base, arguments);
  problems::Settings settings;
  for (const Setting& s : this->settings()) settings.values[s.name] = "";
  std::string like = base->name;
  for (const Setting& s : base->settings)
    if (!theirs.text(s.name).empty()) like += " " + s.name + "=" + theirs.text(s.name);
  settings.values["like"] = like;
  if (const auto it = words.find("fill_seed"); it != words.end()) settings.values["fill_seed"] = it->second.value;
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
  const bool is_said = !head.empty() || std::ranges::any_of(changed, [&](const auto& word) {
    return parameter(word.first) && is_tensor(word.second.value);
  });
  if (const problems::Problem* const base = is_said || changed.contains("like") ? nullptr : namesake())
    changed["like"] = {"like", base->name};  // a copy of it, or one's own version
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
  check_texts(words);
  const Scope scope(words);
  problems::Settings settings;
  for (const auto& [name, word] : words) settings.values[name] = word.value;
  for (const Setting& s : this->settings()) {  // what is shown as a number is one
    const auto it = words.find(s.name);
    if (it == words.end()) settings.values[s.name] = s.default_value;
    else if (is_text(it->second.value) || dtype_constant(it->second.value)) continue;
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
  if (p && is_python(file_)) s.help = p->kind == 'c' ? p->name + ": tl.constexpr" : p->name;
  else if (p) s.help = fmt::format("{} {}", kind_name(p->kind), p->name);
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
    if (!parameter(name) && !is_own_word(name)) all.push_back(setting_of(name, word));
  for (const OwnWord& w : own_words) {
    if (w.is_of_tuning) continue;
    all.push_back(setting_of(w.name, value(w.name, w.otherwise)));
    all.back().help = w.help;
  }
  return all;
}

// The first line of the file's head.
std::string FileCase::summary() const {
  for (const std::string& line : lines_of(text_)) {
    const std::string_view mark = comment_mark(file_);
    if (!line.starts_with(mark)) break;
    const std::string said = trimmed(line.substr(mark.size()));
    if (!said.empty() && !said.starts_with("case")) return said;
  }
  return functor_.name;
}

}  // namespace tl::cases
