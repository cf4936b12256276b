#include "interp/triton/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/triton/constants.h"
#include "interp/triton/parser.h"
#include "interp/triton/specialize.h"

namespace tl::triton {

namespace fs = std::filesystem;

namespace {

bool ends_with_name(const Node* node, std::string_view name) {
  if (!node) return false;
  if (node->kind == NodeKind::call) return ends_with_name(node->children[0], name);
  if (node->kind == NodeKind::string) return node->text.find(name) != std::string_view::npos;
  return (node->kind == NodeKind::name || node->kind == NodeKind::attribute) && node->text == name;
}

// Of branches and tries, too: which of them Python would take is not known, and the last one counts.
void collect(const std::vector<const Node*>& body, std::map<std::string, const Node*, std::less<>>& names) {
  for (const Node* s : body) {
    switch (s->kind) {
      case NodeKind::function:
      case NodeKind::class_: names[std::string(s->text)] = s; break;
      case NodeKind::assign:
        for (std::size_t i = 0; i + 1 < s->children.size(); ++i)
          if (s->child(i).kind == NodeKind::name) {
            // f = triton.jit(f) leaves f the function that it is.
            const auto known = names.find(s->child(i).text);
            const bool wraps = known != names.end() && known->second->kind == NodeKind::function &&
                               s->children.back()->kind == NodeKind::call;
            if (!wraps) names[std::string(s->child(i).text)] = s;
          }
        break;
      case NodeKind::annotated:
        if (s->child(0).kind == NodeKind::name && s->children[2]) names[std::string(s->child(0).text)] = s;
        break;
      case NodeKind::import:
      case NodeKind::import_from:
        for (const Node* alias : s->children) {
          const std::string_view whole = alias->text;
          const Node* const as = alias->child_if_any(0);
          names[std::string(as ? as->text : whole.substr(0, whole.find('.')))] = s;
        }
        break;
      case NodeKind::branch:
      case NodeKind::try_:
      case NodeKind::handler:
      case NodeKind::with:
        collect(s->parts->handlers, names);
        collect(s->parts->body, names);
        collect(s->parts->otherwise, names);
        break;
      default: break;
    }
  }
}

std::optional<DType> dtype_called(std::string_view name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name == language_name_of(static_cast<DType>(i))) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace

bool is_constexpr(const ParameterNode& p) { return ends_with_name(p.annotation, "constexpr"); }

bool is_kernel(const Definition& d) {
  return std::ranges::any_of(d.node->parts->decorators, [](const Node* n) { return ends_with_name(n, "jit"); });
}

Program::Program(const std::string& file, std::string text, const fs::path& folder)
    : main_(&load(fs::absolute(folder) / fs::path(file).filename(), file, std::move(text))) {}

Module& Program::add(const std::string& file, std::string text) {
  return load(fmt::format("{}#{}", file, modules_.size()), file, std::move(text));
}

Module& Program::load(const fs::path& file, std::string shown, std::string text) {
  auto& module = modules_[file.lexically_normal()];
  module = std::make_unique<Module>();
  module->folder = file.parent_path();
  module->tree = parse(make_source(std::move(shown), std::move(text)));
  collect(module->tree->body, module->statements);
  return *module;
}

const Definition& Program::definition(Module& module, const Node& function) {
  return definitions_.try_emplace(&function, Definition{&module, &function}).first->second;
}

const Callable* Program::callable(Callable c) {
  for (const Callable& known : callables_)
    if (known.kind == c.kind && known.name == c.name && known.function == c.function && known.module == c.module)
      return &known;
  return &callables_.emplace_back(std::move(c));
}

std::vector<const Definition*> Program::kernels() {
  std::vector<const Definition*> all, decorated;
  for (const Node* s : main_->tree->body) {
    if (s->kind != NodeKind::function) continue;
    all.push_back(&definition(*main_, *s));
    if (is_kernel(*all.back())) decorated.push_back(all.back());
  }
  return decorated.empty() ? all : decorated;
}

const Definition& Program::kernel(const std::string& name) {
  const auto found = main_->statements.find(name);
  if (found != main_->statements.end() && found->second->kind == NodeKind::function)
    return definition(*main_, *found->second);
  if (!main_->tree->skipped.empty()) throw main_->tree->skipped.front();
  std::vector<std::string> names;
  for (const Definition* d : kernels()) names.push_back(d->name());
  const std::string near = nearest(name, names);
  throw Error(fmt::format("{} holds no function \"{}\"", source().file, name),
              !near.empty()   ? fmt::format("did you mean {}?", near)
              : names.empty() ? "a kernel is a function with @triton.jit above it"
                              : fmt::format("it holds {}", fmt::join(names, ", ")));
}

Value Program::global(Module& module, std::string_view name) {
  if (const auto known = module.values.find(name); known != module.values.end()) return known->second;
  Value made;
  const auto found = module.statements.find(name);
  if (found == module.statements.end()) {
    if (is_host_function(name)) made = callable({Callable::Kind::host, std::string(name)});
    // A text that imports nothing means these.
    if (name == "tl") made = callable({Callable::Kind::language, "triton.language"});
    if (name == "triton") made = callable({Callable::Kind::language, "triton"});
  } else {
    module.values[std::string(name)] = {};  // a circle of imports or constants ends here
    const Node& s = *found->second;
    if (s.kind == NodeKind::function) {
      const Definition& d = definition(module, s);
      if (is_host_function(name) && !is_kernel(d)) made = callable({Callable::Kind::host, std::string(name)});
      else made = callable({Callable::Kind::function, std::string(name), nullptr, &d});
    } else if (s.kind == NodeKind::import || s.kind == NodeKind::import_from) {
      made = imported(module, s, name);
    } else if (s.kind == NodeKind::assign || s.kind == NodeKind::annotated) {
      made = constant_of(*this, module, *s.children.back());
      made.is_strong = false;
    }
  }
  return module.values[std::string(name)] = made;
}

Value Program::imported(Module& module, const Node& s, std::string_view name) {
  for (const Node* alias : s.children) {
    const Node* const as = alias->child_if_any(0);
    const std::string_view whole = alias->text, first = whole.substr(0, whole.find('.'));
    if ((as ? as->text : s.kind == NodeKind::import ? first : whole) != name) continue;
    if (s.kind == NodeKind::import) {
      const std::string_view path = as ? whole : first;
      if (Module* const m = module_called(module, path, 0))
        return callable({Callable::Kind::module, std::string(path), nullptr, nullptr, m});
      return callable({Callable::Kind::language, std::string(path)});
    }
    if (Module* const m = module_called(module, s.text, s.integer)) return global(*m, whole);
    if (is_host_function(whole) && !s.text.starts_with("triton.language"))
      return callable({Callable::Kind::host, std::string(whole)});
    return member(*callable({Callable::Kind::language, std::string(s.text)}), whole);
  }
  return {};
}

// A file beside this one, or dots - 1 folders above: `from .helpers import f`, `from helpers import f`.
Module* Program::module_called(const Module& from, std::string_view name, std::uint64_t dots) {
  if (dots == 0 && (name == "triton" || name.starts_with("triton.") || name == "torch")) return nullptr;
  fs::path folder = from.folder;
  for (std::uint64_t i = 1; i < std::min<std::uint64_t>(dots, 64); ++i) folder = folder.parent_path();
  std::string path(name);
  std::ranges::replace(path, '.', '/');
  for (const fs::path& file : {folder / (path + ".py"), folder / path / "__init__.py"}) {
    if (const auto known = modules_.find(file.lexically_normal()); known != modules_.end()) return known->second.get();
    if (auto text = regular_file_if_any(file))
      return &load(file, file.lexically_proximate(fs::current_path()).string(), *text);
  }
  return nullptr;
}

Value Program::member(const Callable& of, std::string_view name) {
  if (of.kind == Callable::Kind::module) return global(*const_cast<Module*>(of.module), name);
  if (of.kind != Callable::Kind::language || !of.name.starts_with("triton")) return {};
  static constexpr std::string_view modules[] = {"language",  "math", "extra",    "cuda",
                                                 "libdevice", "core", "standard", "random"};
  if (std::ranges::count(modules, name))
    return callable({Callable::Kind::language, fmt::format("{}.{}", of.name, name)});
  if (const auto t = dtype_called(name)) return Value(cpu::AnyValue(cpu::ElementType{*t}));
  if (name == "range" || is_host_function(name)) {
    if (name != "min" && name != "max" && name != "abs") return callable({Callable::Kind::host, std::string(name)});
  }
  if (const cpu::Function* const op = cpu::function_called(name))
    return callable({Callable::Kind::op, std::string(name), op});
  return {};
}

}  // namespace tl::triton
