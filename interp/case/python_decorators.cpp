#include "interp/case/python_decorators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/case/file_case.h"
#include "interp/lang/text.h"
#include "interp/triton/constants.h"
#include "interp/triton/specialize.h"

namespace tl::cases {

namespace {

using triton::Module;
using triton::Node;
using triton::NodeKind;
using triton::Program;
using triton::Value;

// A constant as an expression of words has it; "" where it has none.
std::string text_of_constant(const Value& v) {
  if (v.data.is<cpu::None>()) return "None";
  if (v.data.is<cpu::Constant>()) {
    const cpu::Constant& c = v.data.as<cpu::Constant>();
    return c.is_bool ? (c.value ? "true" : "false") : fmt::format("{}", c.value);
  }
  if (v.data.is<cpu::RealConstant>()) {  // 2.0 is no whole number
    const std::string digits = fmt::format("{}", v.data.as<cpu::RealConstant>().value);
    return digits + (digits.find_first_not_of("-0123456789") == std::string::npos ? ".0" : "");
  }
  if (v.data.is<cpu::TextConstant>()) return fmt::format("\"{}\"", v.data.as<cpu::TextConstant>().value);
  if (v.data.is<cpu::ElementType>()) return fmt::format("tl.{}", language_name_of(v.data.as<cpu::ElementType>().value));
  return "";
}

class DecoratorReader {
 public:
  DecoratorReader(Program& program, const triton::Definition& kernel) : program_(program), kernel_(kernel) {}

  void autotune(const Node& decorator) {
    for (std::size_t i = 1; i < decorator.children.size(); ++i) {
      const Node& a = decorator.child(i);
      const bool is_named = a.kind == NodeKind::keyword;
      static constexpr std::string_view positional[] = {"", "configs", "key"};
      const std::string_view name = is_named ? std::string_view(a.text) : i < 3 ? positional[i] : "";
      const Node& value = is_named ? a.child(0) : a;
      if (name == "configs") {
        add_configs(value, 0);
        if (value.kind == NodeKind::list && value.children.empty())
          fail(value, "this list of configs is empty", "triton.Config({\"BLOCK\": 64}, num_warps=4)");
      } else if (name == "key") {
        key = names_in(value);
      } else if (name == "reset_to_zero" || name == "restore_value") {
        names_in(value);
      } else if (name == "prune_configs_by" && value.kind == NodeKind::dictionary) {
        for (std::size_t k = 0; k + 1 < value.children.size(); k += 2)
          if (value.children[k] && value.child(k).text == "top_k") top_k = text_of(value.child(k + 1));
      }
    }
  }

  void heuristics(const Node& decorator) {
    if (decorator.children.size() < 2) return;
    const Node* all = &decorator.child(1);
    if (all->kind == NodeKind::keyword) all = &all->child(0);
    all = assigned(*all);
    if (all->kind != NodeKind::dictionary) return;
    for (std::size_t k = 0; k + 1 < all->children.size(); k += 2) {
      if (!all->children[k] || all->child(k).kind != NodeKind::string) continue;
      const std::string_view name = word_of_triton(all->child(k).text);
      require_parameter(all->child(k), name);
      if (const std::string e = expression_of_function(all->child(k + 1)); !e.empty())
        computed.push_back(fmt::format("{}='{}'", name, e));
    }
  }

  std::vector<std::string> configs, computed;
  std::string key, top_k;
  int line = 0;  // of the first config

 private:
  Module& module() { return *kernel_.module; }
  [[noreturn]] void fail(const Node& n, const std::string& fact, const std::string& fix) {
    throw error_at(module().tree->source, n.span.begin, fact, fix);
  }

  void require_parameter(const Node& where, std::string_view name) {
    if (name == "warps" || name == "stages" || name == "num_ctas" || name == "maxnreg") return;
    std::vector<std::string> names;
    for (const triton::ParameterNode& p : kernel_.parameters()) names.emplace_back(p.name);
    if (std::ranges::count(names, name)) return;
    const std::string near = nearest(name, names);
    fail(where, fmt::format("{} has no parameter {}", kernel_.name(), name),
         near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near));
  }

  // ["m", "n"] as m,n; each is a parameter.
  std::string names_in(const Node& list) {
    std::string all;
    for (const Node* n : list.children) {
      if (n->kind != NodeKind::string) continue;
      require_parameter(*n, n->text);
      all += (all.empty() ? "" : ",") + std::string(n->text);
    }
    return all;
  }

  std::string text_of(const Node& value) { return text_of_constant(constant_of(program_, module(), value)); }

  // What a name of the file was assigned.
  const Node* assigned(const Node& n) {
    if (n.kind != NodeKind::name) return &n;
    const auto found = module().statements.find(n.text);
    return found != module().statements.end() && found->second->kind == NodeKind::assign
               ? found->second->children.back()
               : &n;
  }
  const Node* function_called(const Node& n) {
    const auto found = n.kind == NodeKind::name ? module().statements.find(n.text) : module().statements.end();
    return found != module().statements.end() && found->second->kind == NodeKind::function ? found->second : nullptr;
  }

  // A list, one and another, one for each of a comprehension's values, a function that returns one.
  void add_configs(const Node& n, int depth) {
    constexpr int most_levels = 16;
    if (depth > most_levels) return;
    if (called_name(n) == "Config") return add_config(n);
    if (n.kind == NodeKind::name && assigned(n) != &n) return add_configs(*assigned(n), depth + 1);
    if (n.kind == NodeKind::list_comprehension || n.kind == NodeKind::generator) return add_each(n, 1, depth);
    if (n.kind == NodeKind::list || n.kind == NodeKind::tuple || n.kind == NodeKind::binary)
      for (const Node* child : n.children) add_configs(*child, depth + 1);
    if (n.kind == NodeKind::starred) add_configs(n.child(0), depth + 1);
    if (const Node* const f = n.kind == NodeKind::call ? function_called(n.child(0)) : nullptr)
      for (const Node* s : f->parts->body)
        if (s->kind == NodeKind::return_ && !s->children.empty()) add_configs(s->child(0), depth + 1);
  }

  // While an element is read, the comprehension's variables are constants of the file.
  void add_each(const Node& n, std::size_t clause, int depth) {
    if (clause == n.children.size()) return add_configs(n.child(0), depth + 1);
    const Node& c = n.child(clause);
    const auto values = constant_of(program_, module(), *assigned(c.child(1)));
    if (!values.data.is<cpu::Tuple>()) return;
    const auto known = module().values;
    for (const cpu::AnyValue& v : *values.data.as<cpu::Tuple>()) {
      if (!bind(c.child(0), v)) break;
      const bool is_kept = std::all_of(c.children.begin() + 2, c.children.end(), [&](const Node* condition) {
        return triton::truth_of(constant_of(program_, module(), *condition)).value_or(true);
      });
      if (is_kept) add_each(n, clause + 1, depth);
    }
    module().values = known;
  }
  bool bind(const Node& target, const cpu::AnyValue& v) {
    if (target.kind == NodeKind::name) {
      module().values[std::string(target.text)] = Value(v);
      return true;
    }
    if (target.kind != NodeKind::tuple || !v.is<cpu::Tuple>()) return false;
    const auto& parts = *v.as<cpu::Tuple>();
    for (std::size_t i = 0; i < target.children.size(); ++i)
      if (i >= parts.size() || !bind(target.child(i), parts[i])) return false;
    return true;
  }

  void add_config(const Node& config) {
    std::vector<std::string> words;
    const auto add = [&](std::string_view name, const Node& value) {
      if (const std::string word = word_of(name, program_, module(), value); !word.empty()) words.push_back(word);
    };
    for (std::size_t i = 1; i < config.children.size(); ++i) {
      const Node& a = config.child(i);
      const Node& value = a.kind == NodeKind::keyword ? a.child(0) : a;
      if (value.kind == NodeKind::dictionary)
        for (std::size_t k = 0; k + 1 < value.children.size(); k += 2) {
          if (!value.children[k] || value.child(k).kind != NodeKind::string) continue;
          require_parameter(value.child(k), word_of_triton(value.child(k).text));
          add(word_of_triton(value.child(k).text), value.child(k + 1));
        }
      if (a.kind == NodeKind::keyword && word_of_triton(a.text) != a.text) add(word_of_triton(a.text), value);
      if (a.kind != NodeKind::keyword && (i == 2 || i == 3)) add(i == 2 ? "warps" : "stages", value);
    }
    if (line == 0) line = config.span.begin.line;
    if (!words.empty()) configs.push_back(fmt::format("{}", fmt::join(words, " ")));
  }

  // The expression of lambda args: args["n"] % args["BLOCK"] == 0, or of a function that returns it.
  std::string expression_of_function(const Node& f) {
    if (const Node* const function = function_called(f)) {
      if (function->parts->parameters.empty() || function->parts->body.empty()) return "";
      const Node& last = *function->parts->body.back();
      const bool returns =
          function->parts->body.size() == 1 && last.kind == NodeKind::return_ && !last.children.empty();
      return returns ? expression(last.child(0), function->parts->parameters[0].name) : "";
    }
    if (f.kind != NodeKind::lambda || f.parts->parameters.empty()) return "";
    return expression(f.child(0), f.parts->parameters[0].name);
  }

  std::string expression(const Node& n, std::string_view arguments) {
    const auto of = [&](std::size_t i) { return expression(n.child(i), arguments); };
    const auto whole = [](const std::vector<std::string>& parts, std::string text) {
      return std::ranges::count(parts, "") ? "" : std::move(text);
    };
    switch (n.kind) {
      case NodeKind::subscript: {
        const bool is_argument =
            n.child(0).kind == NodeKind::name && n.child(0).text == arguments && n.child(1).kind == NodeKind::string;
        return is_argument ? std::string(n.child(1).text) : "";
      }
      case NodeKind::binary:
      case NodeKind::logical: {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < n.children.size(); ++i) parts.push_back(of(i));
        return whole(parts, fmt::format("({})", fmt::join(parts, fmt::format(" {} ", n.text))));
      }
      case NodeKind::unary: {
        const std::string x = of(0);
        return whole({x}, fmt::format("({} {})", n.text, x));
      }
      case NodeKind::comparison: {
        if (n.children.size() != 2) return "";
        const std::string left = of(0), right = expression(n.child(1).child(0), arguments);
        return whole({left, right}, fmt::format("({} {} {})", left, n.child(1).text, right));
      }
      case NodeKind::conditional: {
        const std::string test = of(0), yes = of(1), no = of(2);
        return whole({test, yes, no}, fmt::format("where({}, {}, {})", test, yes, no));
      }
      case NodeKind::call: {
        const std::string_view f = called_name(n);
        const std::string_view name = f == "min" ? "minimum" : f == "max" ? "maximum" : f;
        if (name != "minimum" && name != "maximum" && f != "cdiv" && f != "next_power_of_2") return "";
        std::vector<std::string> parts;
        for (std::size_t i = 1; i < n.children.size(); ++i) parts.push_back(of(i));
        return whole(parts, fmt::format("{}({})", name, fmt::join(parts, ", ")));
      }
      default: return text_of(n);
    }
  }

  Program& program_;
  const triton::Definition& kernel_;
};

}  // namespace

std::string word_of(std::string_view name, Program& program, Module& module, const Node& value) {
  const std::string text = text_of_constant(constant_of(program, module, value));
  if (text.empty()) return "";
  return text[0] == '"' ? fmt::format("{}='{}'", name, text) : fmt::format("{}={}", name, text);
}

std::vector<Word> words_of_decorators(Program& program, const triton::Definition& kernel, const std::string& file) {
  std::vector<Word> words;
  DecoratorReader reader(program, kernel);
  const auto add = [&](const std::string& text, int line) {
    for (Word& w : words_of(text, fmt::format("{}:{}: ", file, line))) words.push_back(std::move(w));
  };
  for (const Node* decorator : kernel.node->parts->decorators) {
    if (called_name(*decorator) == "autotune") reader.autotune(*decorator);
    if (called_name(*decorator) == "heuristics") reader.heuristics(*decorator);
    for (const std::string& word : reader.computed) add(word, decorator->span.begin.line);
    reader.computed.clear();
  }
  if (reader.configs.empty()) return words;
  add(reader.configs.front(), reader.line);
  words.push_back({"configs", fmt::format("{}", fmt::join(reader.configs, "; "))});
  words.back().place = fmt::format("{}:{}: ", file, reader.line);
  if (!reader.key.empty()) add("config_key=" + reader.key, reader.line);
  if (!reader.top_k.empty()) add("config_top_k=" + reader.top_k, reader.line);
  return words;
}

}  // namespace tl::cases
