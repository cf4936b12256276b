#include "interp/hostcc/compiler_words.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "interp/lang/text.h"
#include "interp/text/habits.h"
#include "interp/text/model.h"

namespace tl::hostcc {

namespace {

// Longer ones exhaust the patterns below.
std::vector<std::string> short_lines_of(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  for (std::string& line : lines) line.resize(std::min<std::size_t>(line.size(), 2000));
  return lines;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The language's names for the interpreter's types.
std::string plain_types(std::string text) {
  for (const char* word : {"class ", "struct ", "const ", "tl::cpu::", "tl::kernels::", "std::"})
    text = replaced(text, word, "");
  for (std::size_t at = 0; (at = text.find("ConstantOf<", at)) != std::string::npos;) {
    std::size_t end = text.find('<', at) + 1;
    for (int open = 1; open > 0 && end < text.size(); ++end) open += (text[end] == '<') - (text[end] == '>');
    text.replace(at, end - at, "constant");
  }
  text = std::regex_replace(text, std::regex(R"( ?\[with [^\]]*\])"), "");
  text = std::regex_replace(text, std::regex(R"( ?\(aka '[^']*'\))"), "");
  const std::pair<const char*, const char*> names[] = {{R"(\bBlockPointer\b&?)", "block pointer"},
                                                       {R"(\bDescriptor\b&?)", "descriptor"},
                                                       {R"(\bCoordinates\b)", "coordinates"},
                                                       {R"(\btuple<[^<>]*>&?)", "tuple"},
                                                       {"<brace-enclosed initializer list>", "{ }"},
                                                       {R"(\b(Shape|Axes)\b&?)", "tl.$1"},
                                                       {R"(\b(At)?Block\b&?)", "block"},
                                                       {R"(\b(At)?Pointer\b&?)", "pointer"},
                                                       {R"(\bConstant\b)", "constant"},
                                                       {R"(\bElementTypeOf<[\w:]+>|\bElementType\b)", "dtype"},
                                                       {R"(\bBlockPair\b)", "pair of blocks"},
                                                       {R"(\bContext::)", "tl."},
                                                       {R"(\bContext\b)", "tl"},
                                                       {R"(\b(At)?Literal\b)", "literal"},
                                                       {R"(\bOperand\b)", "block or literal"},
                                                       {R"(\bFixedInt\b)", "constant"}};
  for (const auto& [name, words] : names) text = std::regex_replace(text, std::regex(name), words);
  return text;
}

struct Rule {
  const char* pattern;
  const char* headline;  // $1 ... as in the pattern
  const char* fix;
};

// g++ first, clang's wording after it. The first that fits wins.
constexpr Rule rules[] = {
    {R"re(designator order for field '(?:tl::cpu::)?Block(?:Load|Store)Options.*)re",
     "the options stand in another order", ".boundary_check first, then .padding"},
    {R"re(designator order for field .*)re", "the options stand in another order", ".mask first, then .other"},
    {R"re(cannot convert '([^']+)' to 'coordinates'.*)re", "a $1 stands where a tile's coordinates are taken",
     "a_desc.load({row, col}) loads a tile, c_desc.store({row, col}, value) stores one"},
    {R"re(cannot convert '\{ \}' to 'tuple'.*)re", "{ } stands where a tuple is taken",
     "tl.tuple(bk, 0): tl.advance(b, tl.tuple(bk, 0)), tl.tuple(m, n) of sizes and strides"},
    {R"re('block pointer' has no member named '(\w+)'.*|no member named '(\w+)' in 'block pointer'.*)re",
     "a block pointer has no \"$1$2\"",
     "b = tl.advance(b, tl.tuple(bk, 0)) is the pointer moved on; tl.load(b, ...) and tl.store(b, value, ...) go "
     "through it"},
    {R"re('descriptor' has no member named '(\w+)'.*|no member named '(\w+)' in 'descriptor'.*)re",
     "a descriptor has no \"$1$2\"",
     "it has a_desc.load({row, col}), c_desc.store({row, col}, value) and c_desc.dtype"},
    {R"re('(?:\w+ )?(?:tl::cpu::)?LoadOptions' has no non-static data member named '(\w+)'.*)re",
     "tl.load has no option .$1",
     "its options are .mask and .other, then .cache_modifier, .eviction_policy and .is_volatile"},
    {R"re('(?:\w+ )?(?:tl::cpu::)?StoreOptions' has no non-static data member named '(\w+)'.*)re",
     "tl.store has no option .$1", "its options are .mask, then .cache_modifier and .eviction_policy"},
    {R"re(field designator '(\w+)' does not refer to any (?:non-static data member|field) in type '.*(Load|Store)Options'.*)re",
     "there is no option .$1", "tl.load has .mask and .other, tl.store has .mask"},
    {R"re((?:'(?:class |struct )?(?:tl::cpu::)?Block' has no member named|no member named) '(mask|other)'.*)re",
     "a , is missing before .$1", "options are separated by commas: {.mask = mask, .other = 0}"},
    {R"re((?:'(?:class |struct )?(?:tl::cpu::)?Block' has no member named|no member named) 'T'.*)re",
     "a block has no \"T\"", "tl.trans(x) turns a block"},
    {R"re('(?:class |struct )?(?:tl::cpu::)?Block' has no member named '(\w+)'.*)re", "a block has no \"$1\"",
     "it has x.to(dtype), x(_, None), x.dtype and x.shape; ops are called on tl: tl.sum(x, 0)"},
    {R"re((?:'(get_[12]d_\w+)' was not declared in this scope|use of undeclared identifier '(get_[12]d_\w+)'|call to function '(get_[12]d_\w+)' that is neither visible).*)re",
     "there is no \"$1$2$3\" here", "it is a helper: #include \"kernels/offsets.h\" has it"},
    {R"re('(\w+)' was not declared in this scope; did you mean '(\w+)'\?.*)re", "there is no \"$1\" here",
     "did you mean $2?"},
    {R"re('(\w+)' was not declared in this scope.*)re", "there is no \"$1\" here",
     "declare it first, with auto, above this line; ops begin with tl."},
    {R"re(use of undeclared identifier '(\w+)'; did you mean '(\w+)'\?.*)re", "there is no \"$1\" here",
     "did you mean $2?"},
    {R"re(use of undeclared identifier '(\w+)'.*)re", "there is no \"$1\" here",
     "declare it first, with auto, above this line; ops begin with tl."},
    {R"re((?:non-static data member declared with placeholder 'auto'|'auto' not allowed in non-static \w+ member).*)re",
     "this stands outside of operator()", "a kernel's statements stand between its { and its }"},
    {R"re((?:conflicting declaration|redeclaration of|redefinition of) '(?:(?:auto|[\w:]+) )?(\w+)'.*)re",
     "\"$1\" is declared twice",
     "to change a variable, write $1 = ... without auto; for a new one, choose another name"},
    {R"re(expected ['"]?,['"]? or ['"]?;['"]? before '([^']+)'.*)re", "a ; is missing before \"$1\"",
     "end the statement above with ;"},
    {R"re(expected ';' (?:before|at end of|after).*)re", "a ; is missing", "end the statement with ;"},
    {R"re(expected '\}' at end of input.*)re", "a } is missing at the end",
     "every { needs its }: the functor, its operator() and the namespace"},
    {R"re(expected '\}'.*)re", "a } is missing", "every { needs its }"},
    {R"re(expected '\)'.*)re", "a ) is missing", "every ( needs its )"},
    {R"re(expected (?:primary-expression|expression)(?: before '([^']+)')?.*)re", "something is missing before \"$1\"",
     "look for a stray or missing operator, bracket or comma"},
    {R"re(expected unqualified-id.*)re", "this stands outside of the kernel", "look for a } too many above"},
    {R"re((?:cannot convert|no viable conversion from) '(int|unsigned int|long|float|double|bool)' to '(?:const )?block.*)re",
     "a number, $1, stands where a block or scalar is taken", "tl.scalar(3, tl.int32) makes a scalar of a number"},
    {R"re(reference to type '(?:const )?block.*could not bind to an .value of type '([^']+)'.*)re",
     "a number, $1, stands where a block or scalar is taken", "tl.scalar(3, tl.int32) makes a scalar of a number"},
    {R"re((?:'(\w+)' is not a member of 'std'|no member named '(\w+)' in namespace 'std').*)re",
     "std::$1$2 is not known here", "a plain loop says $1$2, without std::"},
    {R"re((?:no match for call to '\(block\)|no matching function for call to object of type 'block').*)re",
     "a block takes _ and None in parentheses, and nothing else",
     "x(_, None) is Triton's x[:, None]; tl.gather takes lanes, tl.reshape an axis of 1 away"},
    {R"re((?:operands to '\?:' have different types|incompatible operand types \()\s*'([^':]+)' and '([^':]+)'.*)re",
     "?: does not choose between a $1 and a $2",
     "tl.where(mask, a, b) chooses lane by lane; of scalars an if assigns: if (x == inf) x = -inf;"},
    {R"re((?:too many|too few) arguments to function.*)re", "$&", "interp/LANGUAGE.md lists what each op takes"},
};

std::string fix_of_operands(const std::string& op, const std::string& left, const std::string& right) {
  if (left == "pointer" && right == "pointer") return "offsets are added to one pointer: x_ptr + offs";
  if (right == "dtype") return "a cast is written x.to(tl.float32)";
  if (op == "[]")
    return left == "pointer"
               ? "tl.load(x_ptr + offs) reads, tl.store(z_ptr + offs, z) writes"
               : "lanes are not taken one by one: tl.where chooses among them, tl.sum and the like reduce them";
  if (op == "=" && left == "constant") return "a constant keeps its value: give the new one a name of its own";
  if (op == "=" && left == "block")
    return "a variable takes a value of its dtype and shape: i = tl.scalar(-1, i.dtype), x = tl.full_like(x, 0.5)";
  if (op.ends_with('=') && (left == "int" || left == "float" || left == "double"))
    return "begin with a value of the language, as in auto sum = tl.zeros(tl.shape(bs), tl.float32), and reduce it at "
           "the end";
  return left == "pointer" || right == "pointer"
             ? "a pointer plus integers gives pointers; tl.load turns those into values"
             : "interp/LANGUAGE.md lists the operators there are";
}

// "no match for 'operator+' (operand types are 'A' and 'B')", "no matching function for call to 'tl.load(pointer,
// block)'".
std::optional<Finding> about_operands(const std::string& message, const std::string& source, int column) {
  static const std::regex infix(
      R"re((?:no match for 'operator([^']+)'.* \(operand types are|invalid operands to binary expression \()\s*'([^']+)' and '([^']+)'\).*)re");
  static const std::regex call(R"re(no matching (?:member )?function for call to '(?:tl\.)?(\w+)(\(.*\))?'.*)re");
  std::smatch m;
  if (std::regex_match(message, m, infix)) {
    // clang points at the operator and does not name it
    const auto at = static_cast<std::size_t>(column > 0 ? column - 1 : 0),
               end = source.find_first_not_of("+-*/%<>=!&|^", at);
    const std::string op = m[1].matched ? m[1].str() : source.substr(std::min(at, source.size()), end - at);
    return Finding{(op.empty() ? "this operator" : "\"" + op + "\"") + " does not join a " + m[2].str() + " and " +
                       (m[3].str().starts_with("int") ? "an " : "a ") + m[3].str(),
                   "", fix_of_operands(op, m[2], m[3])};
  }
  // For these clang names fewer types.
  static const std::regex subscript(R"re(type '(\w+)' does not provide a subscript operator.*)re"),
      assignment(R"re(no viable overloaded '='.*)re");
  if (std::regex_match(message, m, subscript))
    return Finding{"a " + m[1].str() + " is not read with [ ]", "", fix_of_operands("[]", m[1], "")};
  if (std::regex_match(message, m, assignment))
    return Finding{"this name cannot take that value", "",
                   "a constant keeps its value, and a block its dtype and shape: give the new one a name of its own"};
  if (!std::regex_match(message, m, call)) return std::nullopt;
  const std::string op = m[1], given = m[2].matched ? m[2].str() : "";
  // g++ does not say which option it stumbled over; the line does.
  if (const auto option = foreign_option(op, source)) return Finding{option->headline, "", option->fix};
  const bool is_op = text::code_of(source).find("tl." + op) != std::string::npos;
  if (!is_op)  // tanh(x): C++ has one, of plain numbers
    if (const auto others = op_without_tl(op, source)) return Finding{others->headline, "", others->fix};
  if (op != "operator" && !is_op)
    return Finding{op + " does not take these arguments", "",
                   op.starts_with("get_") ? "a helper takes tl first: " + op + "(tl, ...)"
                                          : "it is not an op of tl: its parameters stand where it is written"};
  const bool is_access = op == "load" || op == "store";
  if (is_access && given.find("block pointer") != std::string::npos)
    return Finding{"tl." + op + " of a block pointer does not take these options", "",
                   op == "load"
                       ? "tl.load(b, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero}), or tl.nan: it knows "
                         "its shape, and .mask is for pointers"
                       : "tl.store(b, value, {.boundary_check = tl.axes(0_c, 1_c)})"};
  if (is_access && given.find("descriptor") != std::string::npos)
    return Finding{"tl." + op + " does not take a descriptor", "",
                   "a_desc.load({row, col}) loads a tile, c_desc.store({row, col}, value) stores one"};
  const std::string usage = usage_of(op), fix = usage.empty() ? "interp/LANGUAGE.md lists what each op takes" : usage;
  if (source.find("tl.") == std::string::npos && op == "operator") return std::nullopt;
  const bool is_short = !given.empty() && given.size() < 100;  // a lambda's type is long and says nothing
  return Finding{"tl." + op + " does not take " + (is_short ? given : "these arguments"), "", fix};
}

// A lambda of the kernel's own, called: step(start, 0) where it takes a constant.
std::optional<Finding> about_lambda(const std::string& message, const std::string& source) {
  const bool is_call = message.starts_with("no match for call to '(") && message.find("operator()") != message.npos;
  if (!is_call && !message.starts_with("no matching function for call to object of type '(lambda")) return std::nullopt;
  static const std::regex call(R"re((?:^|[^\w.])(\w+)\()re");
  const std::string code = text::code_of(source);
  std::string name;
  for (std::sregex_iterator it(code.begin(), code.end(), call), end; it != end; ++it)
    if (const std::string word = (*it)[1]; word != "for" && word != "if" && word != "while") name = word;
  if (name.empty()) return std::nullopt;
  return Finding{
      "\"" + name + "\" does not take these arguments", "",
      "a parameter `constexpr_ auto` takes a constant, 0_c or 1_c, and no plain number; is each parameter given?"};
}

// [row, col], a list of Python's.
std::optional<Finding> about_list(const std::string& source) {
  static const std::regex list(R"re([(,]\s*\[[^\]&=]+\])re");
  if (!std::regex_search(text::code_of(source), list)) return std::nullopt;
  return Finding{"a list in [ ] is Python's", "",
                 "coordinates stand in { }: a_desc.load({row, col}); tl.advance takes tl.tuple(bk, 0), a shape is "
                 "tl.shape(BM, BN)"};
}

// The language's own refusals say the fact and, after a colon, what to do.
std::optional<Finding> about_assertion(const std::string& message) {
  static const std::regex assertion(
      R"re(static[ _]assert(?:ion)? failed:? *(?:due to requirement '.*' ?)?"?(.*?)"?)re");
  std::smatch m;
  if (!std::regex_match(message, m, assertion)) return std::nullopt;
  const std::string text = m[1];
  const auto colon = text.find(": ");
  if (colon == std::string::npos) return Finding{text, "", "interp/LANGUAGE.md has the whole language on two pages"};
  if (text.starts_with("this size or axis"))
    return Finding{
        text.substr(0, colon), "",
        "a number with _c behind it is one: 64_c, and 1_c for axis 1; or take it as a `constexpr_ auto` parameter; "
        "`?:` makes a plain int of two constants, tl.static_if keeps them"};
  return Finding{text.substr(0, colon), "", text.substr(colon + 2)};
}

Finding explained(const std::string& raw, const std::string& source, int column) {
  const std::string message = plain_types(raw);
  if (const auto habit = habit_in(raw, source)) return {habit->headline, "", habit->fix};
  static const std::regex undeclared(
      R"re((?:'(\w+)' was not declared|use of undeclared identifier '(\w+)'|'(\w+)' is not a member of 'std'|no member named '(\w+)' in namespace 'std').*)re");
  if (std::smatch m; std::regex_match(raw, m, undeclared)) {
    const std::string of_std = m[3].str() + m[4].str();
    if (const auto op = op_without_tl(m[1].str() + m[2].str() + of_std, source))
      return {op->headline, "", op->fix + (of_std.empty() ? "" : "; a plain loop says " + of_std + ", without std::")};
  }
  static const std::regex member(
      R"re((?:'(?:class |struct )?(?:tl::cpu::)?Context' has no member named '(\w+)'|no member named '(\w+)' in '(?:tl::cpu::)?Context').*)re");
  if (std::smatch m; std::regex_match(raw, m, member)) {
    const Habit missing = missing_op(m[1].str() + m[2].str());
    return {missing.headline, "", missing.fix};
  }
  if (auto found = about_list(source)) return *found;
  if (auto found = about_lambda(message, source)) return *found;
  if (auto found = about_assertion(message)) return *found;
  if (auto found = about_operands(message, source, column)) return *found;
  for (const Rule& rule : rules) {
    const std::regex pattern(rule.pattern);
    std::smatch m;
    for (const std::string& text : {raw, message}) {
      if (!std::regex_match(text, m, pattern)) continue;
      return {m.format(rule.headline), "", m.format(rule.fix)};
    }
  }
  if (raw.find("use of deleted function") != std::string::npos || raw.find("call to deleted") != std::string::npos)
    return {"this takes a constant, and was given a value that is known only when the kernel runs", "",
            "a constexpr_ parameter such as bs, or a literal such as 16_c"};
  return {message, "", "interp/LANGUAGE.md has the whole language on two pages"};
}

bool defines(const std::string& text, const std::string& functor) {
  return std::ranges::any_of(text::definitions_of(text::lex(text)),
                             [&](const text::Definition& d) { return d.is_struct && d.name == functor; });
}

struct Diagnostic {
  std::string file, message;
  int line = 0, column = 0;
  std::size_t at = 0;  // in the log
};

std::vector<Diagnostic> errors_of(const std::vector<std::string>& log) {
  static const std::regex head(R"(^(?:\./)?(.+?):(\d+):(?:(\d+):)? (?:fatal )?error: (.*)$)");
  std::vector<Diagnostic> found;
  for (std::size_t i = 0; i < log.size(); ++i) {
    std::smatch m;
    if (std::regex_match(log[i], m, head))
      found.push_back({m[1], m[4], std::stoi(m[2]), m[3].matched ? std::stoi(m[3]) : 0, i});
  }
  return found;
}

// The line of the kernel that led to an error elsewhere: g++ tells before the error, clang in the notes after it.
bool find_origin(const std::vector<std::string>& log, const std::string& file, std::size_t error, Diagnostic& place) {
  static const std::regex any(R"(^(?:\./)?(.+?):(\d+):(\d+):.*$)");
  const auto try_line = [&](const std::string& line) {
    std::smatch m;
    if (!std::regex_match(line, m, any) || m[1] != file) return false;
    place.line = std::stoi(m[2]);
    place.column = std::stoi(m[3]);
    return true;
  };
  for (std::size_t i = error; i-- > 0 && log[i].find(" error: ") == std::string::npos;)
    if (try_line(log[i])) return true;
  for (std::size_t i = error + 1; i < log.size() && log[i].find(" error: ") == std::string::npos; ++i)
    if (try_line(log[i])) return true;
  return false;
}

}  // namespace

std::string line_of(const std::string& text, int number) {
  const auto lines = short_lines_of(text);
  if (number < 1 || number > static_cast<int>(lines.size())) return "";
  std::string line = lines[number - 1];
  while (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Finding first_error(const std::string& log, const std::string& file, const std::string& text, const Wanted& wanted,
                    int& errors) {
  const auto lines = short_lines_of(log);
  const auto all = errors_of(lines);
  errors = static_cast<int>(all.size());
  const auto at_line = [&](Finding f, int line, int column) {
    f.line = line;
    f.column = column;
    f.source = line_of(text, line);
    return f;
  };
  for (const Diagnostic& d : all) {
    // Errors in the launcher: no such functor, or other parameters.
    const auto says = [&](const char* words) { return d.message.find(words) != std::string::npos; };
    if (d.file == "launcher" && !wanted.problem.empty())
      return {file + " defines no " + wanted.problem + "()", "", wanted.restore};
    if (d.file != file && !wanted.functor.empty() && !defines(text, wanted.name()) &&
        (says(wanted.name().c_str()) || says("tl::kernels") || says("named 'kernels' in namespace 'tl'")))
      return {file + " has no kernel named " + wanted.name(), "",
              "keep the line `struct " + wanted.name() + " {` inside namespace tl::kernels; " + wanted.example};
    if (d.file != file && (says("no match for call to") || says("no matching function for call to object")))
      return {"the kernel's parameters are no longer those it is launched with", "", "compare them: " + wanted.restore};
    // a // b divides in Python; here the rest of the line is a comment.
    for (const int line : {d.line - 1, d.line})  // g++ stumbles over what follows, clang at the line's end
      if (const auto at = floor_division_in(line_of(text, line));
          d.file == file && says("expected") && at != std::string::npos)
        return at_line({floor_division().headline, "", floor_division().fix}, line, static_cast<int>(at) + 1);
    if (d.file == file) return at_line(explained(d.message, line_of(text, d.line), d.column), d.line, d.column);
    if (d.message.find("tilescope was built by another compiler") != std::string::npos)
      return {"the program was built by another kind of compiler than the one in TILESCOPE_CXX", "",
              "unset TILESCOPE_CXX"};
    Diagnostic origin;
    if (find_origin(lines, file, d.at, origin))
      return at_line(explained(d.message, line_of(text, origin.line), origin.column), origin.line, origin.column);
  }
  if (!all.empty())
    return {plain_types(all.front().message), "at " + all.front().file + ":" + std::to_string(all.front().line),
            "no line of " + file + " leads there: compare its beginning and its end with a kernel that compiles"};
  const std::string said = log.empty() ? "it said nothing" : lines.front();
  return {"the compiler failed: " + said, "", wanted.restore};
}

}  // namespace tl::hostcc
