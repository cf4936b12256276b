// Prints a file's tree, a node a line, for equal_to_ast.py: kind, span, text.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "interp/triton/parser.h"

namespace {

using namespace tl::triton;

constexpr const char* names[] = {"name",
                                 "none",
                                 "boolean",
                                 "integer",
                                 "real",
                                 "imaginary",
                                 "string",
                                 "bytes",
                                 "ellipsis",
                                 "tuple",
                                 "list",
                                 "set",
                                 "dictionary",
                                 "binary",
                                 "unary",
                                 "logical",
                                 "comparison",
                                 "link",
                                 "conditional",
                                 "call",
                                 "keyword",
                                 "starred",
                                 "attribute",
                                 "subscript",
                                 "slice",
                                 "format",
                                 "formatted",
                                 "lambda",
                                 "list_comprehension",
                                 "set_comprehension",
                                 "generator",
                                 "dictionary_comprehension",
                                 "clause",
                                 "assignment_expression",
                                 "yield",
                                 "yield_from",
                                 "expression",
                                 "assign",
                                 "annotated",
                                 "augmented",
                                 "branch",
                                 "for_loop",
                                 "while_loop",
                                 "with",
                                 "with_item",
                                 "try",
                                 "handler",
                                 "function",
                                 "class",
                                 "return",
                                 "pass",
                                 "break",
                                 "continue",
                                 "assert",
                                 "raise",
                                 "delete",
                                 "global",
                                 "nonlocal",
                                 "import",
                                 "import_from",
                                 "alias"};
static_assert(std::size(names) == static_cast<std::size_t>(NodeKind::alias) + 1);

std::string hexadecimal(std::string_view text) {
  std::string all;
  for (const char c : text) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned char>(c));
    all += pair;
  }
  return all;
}

std::string value_of(const Node& n) {
  switch (n.kind) {
    case NodeKind::integer: return n.text.size() < 16 ? std::to_string(n.integer) : "";
    case NodeKind::boolean: return std::to_string(n.integer);
    case NodeKind::real:
    case NodeKind::imaginary: {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", n.real);
      return text;
    }
    case NodeKind::string:
    case NodeKind::bytes: return hexadecimal(n.text);
    case NodeKind::import_from: return std::to_string(n.integer) + std::string(n.text);
    case NodeKind::none:
    case NodeKind::ellipsis: return "";
    default: return std::string(n.text);
  }
}

void print(const Node* n, int depth, bool has_places);
void print(const char* name, const std::vector<const Node*>& all, int depth, bool has_places) {
  if (!all.empty()) std::printf("%*s%s\n", depth, "", name);
  for (const Node* n : all) print(n, depth + 1, has_places);
}
void print(const Node* n, int depth, bool has_places) {
  if (!n) return (void)std::printf("%*s-\n", depth, "");
  const auto [begin, end] = n->span;
  has_places = has_places && n->kind != NodeKind::format;  // Python 3.11 has none within
  std::printf("%*s%s %s", depth, "", names[static_cast<int>(n->kind)], value_of(*n).c_str());
  const bool is_placeless = n->kind == NodeKind::link || n->kind == NodeKind::with_item || n->kind == NodeKind::clause;
  if (has_places && !is_placeless) std::printf(" %d:%d-%d:%d", begin.line, begin.column, end.line, end.column);
  std::printf("\n");
  if (n->parts) print("decorators", n->parts->decorators, depth + 1, has_places);
  if (n->parts)
    for (const ParameterNode& p : n->parts->parameters) {
      std::printf("%*sparameter %d %s %d:%d-%d:%d\n", depth + 1, "", static_cast<int>(p.kind),
                  std::string(p.name).c_str(), p.span.begin.line, p.span.begin.column, p.span.end.line,
                  p.span.end.column);
      print(p.annotation, depth + 2, has_places);
      print(p.fallback, depth + 2, has_places);
    }
  for (const Node* child : n->children) print(child, depth + 1, has_places);
  if (!n->parts) return;
  print("body", n->parts->body, depth + 1, has_places);
  print("handlers", n->parts->handlers, depth + 1, has_places);
  print("otherwise", n->parts->otherwise, depth + 1, has_places);
  print("finally", n->parts->finally, depth + 1, has_places);
}

}  // namespace

int main(int, char** argv) {
  std::stringstream text;
  text << std::ifstream(argv[1], std::ios::binary).rdbuf();
  try {
    const auto tree = parse(make_source(argv[1], text.str()));
    for (const tl::CompileError& e : tree->skipped) std::fprintf(stderr, "skipped: %s\n", e.what());
    for (const Node* n : tree->body) print(n, 0, true);
  } catch (const tl::Error& e) {
    std::fprintf(stderr, "%s\n  fix: %s\n", e.what(), e.fix.c_str());
    return 1;
  }
}
