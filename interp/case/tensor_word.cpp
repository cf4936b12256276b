// The grammar of a tensor's word, and of a grid's.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "interp/case/nesting.h"
#include "interp/case/words.h"
#include "interp/lang/text.h"

namespace tl::cases {

namespace {

constexpr const char* tensor_grammar =
    "a tensor is dtype[dims]: f32[rows, cols]; before it out: or inout:, behind it :ones, :normal, :strides[1, n] or "
    "@file.npy";
constexpr std::string_view fills[] = {"uniform", "normal", "ones",   "zeros", "iota",     "index",
                                      "full",    "each",   "values", "bytes", "addresses"};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<DType> dtype_called(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name == name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  return std::nullopt;
}

std::string dtype_names() {
  std::string all;
  for (int i = 0; i < dtype_count; ++i) all += (i ? ", " : "") + std::string(name_of(static_cast<DType>(i)));
  return all;
}

class Reader {
 public:
  explicit Reader(const Word& word) : word_(word), text_(word.value) {}

  TensorWord tensor() {
    TensorWord t;
    t.role = role();
    skip();
    const std::size_t begin = at_;
    if (const std::string name = this->name(); !name.empty()) {
      t.dtype = dtype_called(name);
      if (!t.dtype) fail_at(word_, begin, fmt::format("no dtype is called {}", name), dtype_fix(name));
    }
    if (is('[')) t.dims = list();
    while (take(':')) modifier(t);
    if (take('@')) {
      t.file = trimmed(text_.substr(at_));
      if (t.file.empty()) fail("a file's name is missing here", "x=@x.npy reads that file");
      return t;
    }
    if (at_ < text_.size()) fail("this belongs to no tensor", tensor_grammar);
    return t;
  }

  std::vector<std::string> grid() {
    skip();
    // (a, b) around the whole list, not (a + b) * c
    if (is('(') && closes_last()) {
      std::vector<std::string> all = list('(', ')');
      return all;
    }
    std::vector<std::string> all;
    do all.push_back(expression(""));
    while (take(','));
    if (at_ < text_.size()) fail("this closes nothing", "every ) needs its (");
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& fact, const std::string& fix) const { fail_at(word_, at_, fact, fix); }

  static std::string dtype_fix(const std::string& name) {
    std::vector<std::string> all;
    for (int i = 0; i < dtype_count; ++i) all.push_back(name_of(static_cast<DType>(i)));
    for (const auto& [other, own] : {std::pair{"float16", "f16"},
                                     {"half", "f16"},
                                     {"float32", "f32"},
                                     {"float", "f32"},
                                     {"fp16", "f16"},
                                     {"fp32", "f32"},
                                     {"float64", "f64"},
                                     {"double", "f64"},
                                     {"bfloat16", "bf16"},
                                     {"int", "i32"},
                                     {"int32", "i32"},
                                     {"int64", "i64"},
                                     {"uint8", "u8"},
                                     {"bool", "i1"}})
      if (name == other) return fmt::format("it is {} here", own);
    const std::string guess = nearest(name, all, 1);
    return guess.empty() ? "the dtypes: " + dtype_names() : fmt::format("did you mean {}?", guess);
  }

  void skip() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool is(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  std::string name() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool closes_last() const {
    Nesting nesting;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      nesting.step(text_[i]);
      if (nesting.is_outside()) return trimmed(text_.substr(i + 1)).empty();
    }
    return false;
  }

  TensorWord::Role role() {
    using Role = TensorWord::Role;
    for (const auto& [word, role] :
         {std::pair{"out:", Role::out}, std::pair{"inout:", Role::inout}, std::pair{"in:", Role::in}})
      if (skip(); text_.substr(at_).starts_with(word)) {
        at_ += std::string_view(word).size();
        return role;
      }
    return Role::unsaid;
  }

  // Up to a comma, or one of `ends`, outside of brackets.
  std::string expression(std::string_view ends) {
    skip();
    const std::size_t begin = at_;
    Nesting nesting;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (nesting.is_outside() && (c == ',' || ends.find(c) != std::string_view::npos || c == ']' || c == ')')) break;
      nesting.step(c);
      ++at_;
    }
    const std::string all = trimmed(text_.substr(begin, at_ - begin));
    if (all.empty()) fail("a number or an expression is missing here", "as in [rows, cols] or [2 * n]");
    return all;
  }

  std::vector<std::string> list(char open = '[', char close = ']') {
    std::vector<std::string> all;
    if (!take(open)) fail(fmt::format("{} is missing here", open), tensor_grammar);
    if (take(close)) return all;
    do all.push_back(expression({&close, 1}));
    while (take(',') && !(close == ')' && is(close)));  // (8,), as Python writes a tuple of one
    if (!take(close)) fail(fmt::format("{} is missing here", close), tensor_grammar);
    return all;
  }

  void modifier(TensorWord& t) {
    skip();
    const std::size_t begin = at_;
    const std::string what = name();
    if (what == "strides") t.strides = list();
    else if (what == "tile") t.tile = list();
    else if (std::ranges::count(fills, what)) {
      t.fill = what;
      if (is('(')) t.fill_arguments = list('(', ')');
      const std::size_t count = t.fill_arguments.size();
      const auto takes = [&] {
        if (what == "full" || what == "each" || what == "bytes") return count == 1;
        if (what == "uniform") return count == 0 || count == 2;
        return (what == "values" || what == "addresses") == (count > 0);
      };
      if (!takes())
        fail_at(
            word_, begin, fmt::format("{} takes no {} numbers", what, count),
            "full(3), each(2 * i) and bytes(0000803f) take one, values(2, 3, 5) and addresses(a, b) one an element, "
            "uniform(-1, 1) two or none, the others none");
    } else {
      fail_at(word_, begin, what.empty() ? "a fill is missing here" : fmt::format("nothing is filled by {}", what),
              fmt::format("choose from {}; or :strides[...], :tile[...]", fmt::join(fills, ", ")));
    }
  }

  const Word& word_;
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string bracketed(const std::vector<std::string>& all) { return fmt::format("[{}]", fmt::join(all, ",")); }

}  // namespace

std::string TensorWord::text() const {
  std::string out;
  if (role == Role::out) out = "out:";
  if (role == Role::inout) out = "inout:";
  if (role == Role::in) out = "in:";
  if (dtype) out += name_of(*dtype);
  if (dims) out += bracketed(*dims);
  if (strides) out += ":strides" + bracketed(*strides);
  if (tile) out += ":tile" + bracketed(*tile);
  if (!fill.empty()) out += ":" + fill;
  if (!fill_arguments.empty()) out += fmt::format("({})", fmt::join(fill_arguments, ","));
  return file.empty() ? out : out + "@" + file;
}

bool is_text(const std::string& value) {
  return value.size() > 1 && value.front() == '"' && value.find('"', 1) == value.size() - 1;
}

std::optional<DType> dtype_constant(std::string_view value) {
  if (value.starts_with("tl.")) value.remove_prefix(3);
  for (int i = 0; i < dtype_count; ++i)
    if (value == language_name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  return dtype_called(value);
}

bool is_tensor(const std::string& value) {
  if (is_text(value)) return false;
  if (value.find_first_of("[@") != std::string::npos) return true;
  const std::string first = value.substr(0, value.find(':'));
  return first == "out" || first == "inout" || first == "in" || dtype_called(trimmed(first)) || value.starts_with(":");
}

TensorWord tensor_of(const Word& word) { return Reader(word).tensor(); }

TensorWord merged(TensorWord changed, const TensorWord& before) {
  if (changed.role == TensorWord::Role::unsaid) changed.role = before.role;
  if (!changed.dtype && changed.file.empty()) changed.dtype = before.dtype;
  if (!changed.dims) {
    changed.dims = before.dims;
    if (!changed.strides) changed.strides = before.strides;
  }
  if (!changed.tile) changed.tile = before.tile;
  if (changed.fill.empty() && changed.file.empty()) {
    changed.fill = before.fill;
    changed.fill_arguments = before.fill_arguments;
    changed.file = before.file;
  }
  return changed;
}

std::vector<std::string> list_of(const Word& word) { return Reader(word).grid(); }

}  // namespace tl::cases
