#include "interp/cuda/host/advice.h"

#include <regex>

#include "interp/text/habits.h"
#include "interp/text/lexer.h"

namespace tl::cuda {

namespace {

constexpr const char* see_language = "interp/LANGUAGE.md lists what each op takes";

// `tl.arange: ...` names the op.
std::size_t colon_before_fix(const std::string& message) {
  static const std::regex op(R"(tl\.\w+)");
  const auto first = message.find(": ");
  if (first == std::string::npos || !std::regex_match(message.substr(0, first), op)) return first;
  return message.find(": ", first + 2);
}

struct Rule {
  const char* pattern;  // of the message
  const char* fact;     // $1 ... as in the pattern
  const char* fix;
};
constexpr Rule rules[] = {
    {R"re(tl has no member "(\w+)")re", "tl has no op \"$1\"", see_language},
    {R"re(class "pointers? to [^"]*" has no member "(\w+)")re", "a pointer has no \"$1\"",
     "tl.load(x_ptr + offs) reads what it points to; x_ptr.dtype is the dtype of that"},
    {R"re(class "[^"]*" has no member "T")re", "a block has no \"T\"", "tl.trans(x) turns a block"},
    {R"re(class "(?:[\w ]+(?:\[[\d, ]*\])?)" has no member "(\w+)")re", "a block has no \"$1\"",
     "it has x.to(dtype), x(_, None), x.dtype and x.shape; ops are called on tl: tl.sum(x, 0)"},
    {R"re(namespace "tl" has no member "(\w+)")re", "tl:: is the name of a namespace, and has no \"$1\"",
     "the executor is tl with a point: tl.$1"},
    {R"re(identifier "(\w+)" is undefined)re", "there is no \"$1\" here",
     "declare it first, with auto, above this line; ops begin with tl."},
    {R"re("(\w+)" has already been declared in the current scope)re", "\"$1\" is declared twice",
     "to change a variable, write $1 = ... without auto; for a new one, choose another name"},
    {R"re(out-of-order initializers.*)re", "the options stand in another order", ".mask first, then .other"},
    {R"re(expected a ";")re", "a ; is missing", "end the statement above with ;"},
    {R"re(expected a "([})\]])".*)re", "a $1 is missing", "every bracket needs its other half"},
    {R"re(expected an? (?:expression|operator|identifier))re", "something is missing here",
     "look for a stray or missing operator, bracket or comma"},
    {R"re(missing closing quote)re", "a \" is missing", "a text stands between two of them"},
    {R"re(an enclosing-function local variable cannot be referenced in a lambda.*)re",
     "the lambda does not see what is outside of it", "let it: [&](auto i) { ... }"},
    {R"re(return value type does not match.*)re", "a kernel returns nothing", "tl.store writes a result to a tensor"},
    {R"re(incomplete type "tl::Storage<(.*)>" is not allowed)re", "$1 is not a value",
     "a value is a block, a scalar or a number"},
    {R"re(no operator "(?:\[\]|\*)" matches these operands; operand types are: (?:\* )?pointers? to [^*]*)re",
     "a pointer has neither brackets nor a star", "tl.load(x_ptr + offs) reads, tl.store(z_ptr + offs, z) writes"},
    {R"re(no operator "(\+\+|--)" matches.*)re", "there is no $1 here", "x += 1, x -= 1"},
    {R"re((?:expected a declaration|this declaration has no storage class or type specifier))re",
     "this stands outside of the kernel", "look for a } too many above"},
    {R"re(namespace "std" has no member "(\w+)")re", "std::$1 is not known on a GPU",
     "a plain loop says $1, without std::"},
    {R"re(operand types are incompatible \("(?:const )?(tl\.\w+)" and "(?:const )?(tl\.\w+)"\))re",
     "a ternary cannot choose between $1 and $2: each dtype has a type of its own",
     "take it from a tensor, p.dtype, or choose the whole statement with tl.static_if"},
    {R"re(operand types are incompatible \(.*\)|expression must have arithmetic or unscoped enum type)re",
     "?: chooses between two values of one type",
     "tl.where(mask, a, b) chooses lane by lane; of scalars an if assigns: if (x == inf) x = -inf;"},
    {R"re(no instance of function template "\w+::to" matches.*)re", "a cast takes a dtype",
     "x.to(tl.float32), or a tensor's: x.to(y_ptr.dtype)"},
    {R"re(no instance of function template "lambda.*" matches the argument list; argument types are: (\(.*\)))re",
     "a lambda does not take what it is passed: $1",
     "the one of tl.reduce has two parameters, that of tl.static_for one"},
    {R"re(no operator "\[\]" matches these operands.*)re", "brackets take a constant, and of a shape only",
     "x.shape[0] or x.shape[1_c]; axes are inserted with x(_, None)"},
    {R"re(call of an object of a class type without appropriate operator.*)re", "this cannot be called",
     "x.shape[0] is an axis of a shape, x.dtype the dtype, x(_, None) a new axis"},
    {R"re(no operator "=" matches these operands; operand types are: the constant (\S+) = .*)re",
     "the constant $1 keeps its value", "give the new one a name of its own"},
    {R"re(no operator "=" matches these operands; operand types are: (.*) = (.*))re",
     "assignment: a variable keeps its dtype and its shape; it holds $1, the new value is $2",
     "declare a new variable"},
    {R"re(no operator "[^"]+=" matches these operands; operand types are: ((?:int|long|unsigned|float|double|__nv_bool).*) ([^ ]+=) (.*))re",
     "a plain $1 cannot take up $3",
     "begin with a value of the language, as in auto acc = tl.zeros(tl.shape(BLOCK), tl.float32), and reduce it at the "
     "end"},
    {R"re(no operator "([^"]+)" matches these operands; operand types are: (pointers? to .*) [^ ]+ (pointers? to .*))re",
     "\"$1\" does not join $2 and $3", "offsets are added to one pointer: x_ptr + offs"},
    {R"re(no operator "([^"]+)" matches these operands; operand types are: (pointers? to .*) [^ ]+ (?:float|double))re",
     "a pointer moves by integers", "cast the offset with .to(tl.int32)"},
    {R"re(no operator "([^"]+)" matches these operands; operand types are: (.*) [^ ]+ (?:const )?(tl\.\w+))re",
     "\"$1\" does not join $2 and the dtype $3", "a cast is written x.to($3)"},
    {R"re(no operator "([^"]+)" matches these operands; operand types are: (.*))re", "\"$1\" does not join these: $2",
     "a pointer plus integers gives pointers; tl.load turns those into values"},
    {R"re(no suitable conversion function from "(.*)" to ".*" exists)re", "$1 is not a plain C++ number",
     "declare variables with auto, cast with x.to(tl.float32), and call the ops of tl"},
    {R"re(expression must have integral.*)re", "~ takes integers and masks", "compare first, or cast with .to"},
    {R"re(expression must have a constant value)re", "this is not a constant",
     "a constexpr_ parameter such as BLOCK, or a literal such as 16_c"},
    {R"re(no tl\.(\w+) takes these arguments; argument types are: (\(.*\)))re", "tl.$1 does not take $2", see_language},
};

std::string op_in(const std::string& message, const std::string& line) {
  static const std::regex in_message(R"re(no tl\.(\w+) takes|\btl\.(\w+)(?: |:))re"), in_line(R"re(\btl\.(\w+)\()re");
  std::smatch m;
  if (std::regex_search(message, m, in_message)) return m[1].str() + m[2].str();
  const std::string code = text::code_of(line);
  return std::regex_search(code, m, in_line) ? m[1].str() : "";
}

}  // namespace

Advice advice_on(const std::string& message, const std::string& line) {
  if (const auto habit = habit_in(message, line)) return {habit->headline, habit->fix};
  static const std::regex undeclared(
      R"re((?:identifier "(\w+)" is undefined|no instance of (?:overloaded )?function(?: template)? "(?:tl::)?(\w+)" matches.*|namespace "std" has no member "(\w+)"))re");
  std::smatch m;
  if (std::regex_match(message, m, undeclared))
    if (const auto op = op_without_tl(m[1].str() + m[2].str() + m[3].str(), line)) return {op->headline, op->fix};
  const std::string op = op_in(message, line);
  for (const Rule& rule : rules) {
    if (!std::regex_match(message, m, std::regex(rule.pattern))) continue;
    Advice advice{m.format(rule.fact), m.format(rule.fix)};
    if (advice.fix != see_language) return advice;
    if (message.starts_with("tl has no member")) {
      const Habit missing = missing_op(m[1]);
      return {missing.headline, missing.fix};
    }
    if ((op == "load" || op == "store") && message.find("(block pointer") != std::string::npos)
      return {
          advice.fact,
          "a block pointer is checked by axes: tl.load(bp, {.boundary_check = tl.axes(0_c, 1_c), .padding = tl.zero})"};
    // The compiler does not say which option it stumbled over; the line does.
    if (const auto option = foreign_option(op, line)) return {option->headline, option->fix};
    if (const std::string usage = usage_of(op); !usage.empty()) advice.fix = usage;
    return advice;
  }
  if (message.starts_with("too few arguments") || message.starts_with("too many arguments") ||
      message.starts_with("expression must have class type"))
    if (const std::string usage = usage_of(op); !usage.empty())
      return {"tl." + op + " does not take these arguments", usage};
  return {message, see_language};
}

Advice stated(const std::string& assertion, const std::string& figures) {
  const auto colon = colon_before_fix(assertion);
  return {assertion.substr(0, colon) + figures,
          colon == std::string::npos ? see_language : assertion.substr(colon + 2)};
}

}  // namespace tl::cuda
