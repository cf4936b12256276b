#include "interp/triton/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/triton/constants.h"
#include "interp/triton/parser.h"
#include "interp/triton/specialize.h"

namespace tl::triton {

namespace fs = std::filesystem;

namespace {

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

// A kernel within a class or a function of the host's, which is there once Python has run that.
std::pair<const Node*, const Node*> hidden_kernel(const std::vector<const Node*>& body) {
  std::pair<const Node*, const Node*> found;
  for (const Node* s : body)
    if (s->kind == NodeKind::class_ || s->kind == NodeKind::function)
      for (const Node* inner : s->parts->body)
        for_each_node(inner, [&](const Node& n) {
          if (n.kind == NodeKind::function && is_kernel(n) && !found.second) found = {s, &n};
          return true;
        });
  return found;
}

}  // namespace

bool is_property(const Definition& d) {
  return std::ranges::any_of(d.node->parts->decorators, [](const Node* n) { return ends_with_name(n, "property"); });
}

std::vector<const char*> Record::names() const {
  std::vector<const char*> all;
  for (const Field& f : fields) all.push_back(f.name);
  return all;
}

Program::Program(const std::string& file, std::string text, const fs::path& folder)
    : main_(&load((fs::absolute(folder) / fs::path(file).filename()).lexically_normal(), file, std::move(text))) {}

Module& Program::add(const std::string& file, std::string text) {
  return load(fmt::format("{}#{}", file, modules_.size()), file, std::move(text));
}

Module& Program::load(const fs::path& file, std::string shown, std::string text) {
  auto& module = modules_[file.lexically_normal()];
  module = std::make_unique<Module>();
  module->folder = file.parent_path();
  module->tree = parse(make_source(std::move(shown), std::move(text)));
  collect(module->tree->body, module->statements);
  for (const Node* s : module->tree->body)
    if (s->kind == NodeKind::import_from && s->children.size() == 1 && s->child(0).text == "*")
      module->whole_imports.push_back(s);
  return *module;
}

std::vector<fs::path> Program::imported_files() {
  std::vector<fs::path> all;
  for (std::vector<Module*> left{main_}; !left.empty();) {
    Module& from = *left.back();
    left.pop_back();
    for (const auto& [name, s] : from.statements)
      if (s->kind == NodeKind::import || s->kind == NodeKind::import_from) global(from, name);
    for (const auto& [file, m] : modules_) {
      if (m.get() == main_ || std::ranges::count(all, file)) continue;
      all.push_back(file);
      left.push_back(m.get());
    }
  }
  return all;
}

namespace {

// @triton.jitt
void check_decorators(const Source& source, const Node& function) {
  static const std::vector<std::string> known = {"jit",       "autotune",       "heuristics", "constexpr_function",
                                                 "aggregate", "must_use_result"};
  for (const Node* d : function.parts->decorators) {
    const Node& named = d->kind == NodeKind::call ? d->child(0) : *d;
    const bool is_tritons =
        named.kind == NodeKind::attribute && named.child(0).kind == NodeKind::name && named.child(0).text == "triton";
    if (!is_tritons || std::ranges::count(known, named.text)) continue;
    const std::string near = nearest(std::string(named.text), known);
    throw error_at(source, named.op, fmt::format("triton has no decorator {}", named.text),
                   near.empty() ? "a kernel has @triton.jit above it" : fmt::format("did you mean {}?", near));
  }
}

}  // namespace

const Definition& Program::definition(Module& module, const Node& function) {
  check_decorators(module.tree->source, function);
  return definitions_.try_emplace(&function, Definition{&module, &function}).first->second;
}

// Fields and methods of the classes that it is made from come first.
const Record& Program::record(Module& module, const Node& class_) {
  const auto [at, is_new] = records_.try_emplace(&class_);
  Record& r = at->second;
  if (!is_new) return r;
  const auto add_field = [&r](const Record::Field& field) {
    const auto known = std::ranges::find(r.fields, std::string_view(field.name),
                                         [](const Record::Field& f) { return std::string_view(f.name); });
    if (known == r.fields.end()) r.fields.push_back(field);
    else *known = field;
  };
  for (const Node* base : class_.children) {
    if (base->kind != NodeKind::name) continue;
    const Callable* const c = global(module, base->text).callable();
    if (!c || c->kind != Callable::Kind::record) continue;
    std::ranges::for_each(c->record->fields, add_field);
    for (const auto& [name, method] : c->record->methods) r.methods.insert_or_assign(name, method);
    r.init = c->record->init;
  }
  for (const Node* s : class_.parts->body) {
    if (s->kind == NodeKind::annotated && s->child(0).kind == NodeKind::name)
      add_field({cpu::kept_text(s->child(0).text), s->child_if_any(2), &module});
    if (s->kind != NodeKind::function) continue;
    const Definition& d = definition(module, *s);
    if (d.name() == "__init__") r.init = &d;
    else r.methods.insert_or_assign(d.name(), &d);
  }
  return r;
}

const Callable* Program::callable(Callable c) {
  for (const Callable& known : callables_)
    if (known.kind == c.kind && known.name == c.name && known.function == c.function && known.module == c.module &&
        known.record == c.record && known.computed == c.computed)
      return &known;
  return &callables_.emplace_back(std::move(c));
}

std::vector<const Definition*> Program::kernels() {
  std::vector<const Node*> functions;  // the last one of its name, in branches, too
  for (const auto& [name, s] : main_->statements)
    if (s->kind == NodeKind::function) functions.push_back(s);
  std::ranges::sort(functions, {}, [](const Node* f) { return f->span.begin.line; });
  std::vector<const Definition*> all, decorated, kernels;
  for (const Node* f : functions) {
    all.push_back(&definition(*main_, *f));
    if (is_kernel(*f)) decorated.push_back(all.back());
  }
  if (decorated.empty() && hidden_kernel(main_->tree->body).second) return {};
  std::set<std::string_view> named;  // by another: helpers, called or passed to tl.reduce
  for (const Definition* d : decorated)
    for_each_node(d->node, [&](const Node& n) {
      if (n.kind == NodeKind::name && n.text != d->node->text) named.insert(n.text);
      return true;
    });
  for (const Definition* d : decorated)
    if (!named.contains(d->node->text)) kernels.push_back(d);
  return !kernels.empty() ? kernels : decorated.empty() ? all : decorated;
}

void Program::refuse_empty() const {
  if (const auto [holder, kernel] = hidden_kernel(main_->tree->body); kernel)
    throw error_at(source(), kernel->span.begin,
                   fmt::format("{} is made when Python runs {}", kernel->text, holder->text),
                   "define it at the left margin; `python -m tilescope SCRIPT` runs scripts that make kernels");
  if (!main_->tree->skipped.empty()) throw main_->tree->skipped.front();
  throw Error(source().file + (main_->tree->body.empty() ? " is empty" : " holds no kernel"),
              "a kernel is a function with @triton.jit above it: `tilescope new softmax.py` writes one");
}

const Definition& Program::kernel(const std::string& name) {
  const auto found = main_->statements.find(name);
  if (found != main_->statements.end() && found->second->kind == NodeKind::function)
    return definition(*main_, *found->second);
  std::vector<std::string> names;
  for (const Definition* d : kernels()) names.push_back(d->name());
  if (names.empty() || !main_->tree->skipped.empty()) refuse_empty();
  const std::string near = nearest(name, names);
  throw Error(
      fmt::format("{} holds no function \"{}\"", source().file, name),
      !near.empty() ? fmt::format("did you mean {}?", near) : fmt::format("it holds {}", fmt::join(names, ", ")));
}

Value Program::global(Module& module, std::string_view name) {
  if (const auto known = module.values.find(name); known != module.values.end()) return known->second;
  Value made;
  module.values[std::string(name)] = {};  // a circle of imports or constants ends here
  const auto found = module.statements.find(name);
  if (found == module.statements.end()) {
    if (is_host_function(name)) made = callable({Callable::Kind::host, std::string(name)});
    // A text that imports nothing means these.
    if (name == "tl") made = callable({Callable::Kind::language, "triton.language"});
    if (name == "triton") made = callable({Callable::Kind::language, "triton"});
    for (const Node* s : module.whole_imports)
      if (!made.is_known()) {
        if (Module* const m = module_called(module, s->text, s->integer)) made = global(*m, name);
        else made = member(*callable({Callable::Kind::language, std::string(s->text)}), name);
      }
  } else {
    const Node& s = *found->second;
    if (s.kind == NodeKind::function) {
      const Definition& d = definition(module, s);
      if (is_host_function(name) && !is_kernel(s)) made = callable({Callable::Kind::host, std::string(name)});
      else made = callable({Callable::Kind::function, std::string(name), nullptr, &d});
    } else if (s.kind == NodeKind::class_) {
      if (const Record& r = record(module, s); !r.fields.empty())
        made = callable({.kind = Callable::Kind::record, .name = std::string(name), .record = &r});
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

namespace {

const char* text_of_kind(NodeKind kind) {
  switch (kind) {
    case NodeKind::list:
    case NodeKind::list_comprehension: return "a list";
    case NodeKind::dictionary:
    case NodeKind::dictionary_comprehension: return "a dictionary";
    case NodeKind::set: return "a set";
    case NodeKind::tuple: return "a tuple";
    case NodeKind::lambda: return "a lambda";
    case NodeKind::call: return "what a call gives";
    default: return "a value of Python's";
  }
}

std::string as_constant(std::string_view name) {
  return fmt::format("pass it as a parameter, or make it a number: {} = tl.constexpr(4)", name);
}

}  // namespace

std::optional<Error> Program::why_unknown(Module& module, std::string_view name) {
  if (const auto it = module.unusable.find(name); it != module.unusable.end()) {
    if (it->second == "a function")
      return Error(fmt::format("{} is a function of Python's", name), "write @triton.jit above its def");
    return Error(fmt::format("the global {} is no constant: it is {}", name, it->second), as_constant(name));
  }
  const auto found = module.statements.find(name);
  if (found == module.statements.end()) return std::nullopt;
  const Node& s = *found->second;
  if (s.kind == NodeKind::import || s.kind == NodeKind::import_from) return why_not_imported(module, s, name);
  const char* const kind = s.kind == NodeKind::class_ ? "a class" : text_of_kind(s.children.back()->kind);
  return Error(fmt::format("the global {} is no constant: line {} makes it {}", name, s.span.begin.line, kind),
               as_constant(name));
}

Error Program::why_not_imported(Module& module, const Node& s, std::string_view name, int files) {
  constexpr int most_files = 16;
  const std::string from = std::string(s.integer, '.') + std::string(s.text);
  for (const Node* alias : s.children) {
    const Node* const as = alias->child_if_any(0);
    if ((as ? as->text : alias->text) != name) continue;
    Module* const m = module_called(module, s.text, s.integer);
    if (!m && s.text.starts_with("triton"))
      return Error(fmt::format("{} has no {}", s.text, alias->text), "interp/TRITON.md lists what there is");
    if (!m)
      return Error(fmt::format("{} is imported from {}, and there is no such file beside {}", name, from,
                               module.tree->source.file),
                   "put the helpers' file there, or write the helper in this one");
    const auto known = m->statements.find(alias->text);
    if (known == m->statements.end()) {
      std::vector<std::string> names;
      for (const auto& [n, statement] : m->statements) names.push_back(n);
      const std::string near = nearest(std::string(alias->text), names);
      return Error(fmt::format("{} has no {}", m->tree->source.file, alias->text),
                   near.empty() ? "import a function or a constant of it" : fmt::format("did you mean {}?", near));
    }
    const Node& there = *known->second;
    if (there.kind != NodeKind::import && there.kind != NodeKind::import_from) return *why_unknown(*m, alias->text);
    if (files < most_files) return why_not_imported(*m, there, alias->text, files + 1);
    return Error(fmt::format("{} is imported in a circle: {} takes it from {}", name, module.tree->source.file,
                             m->tree->source.file),
                 "define it in one of the files");
  }
  return Error(fmt::format("{} is imported, and is no kernel's helper", name), "import a function or a constant");
}

// A file beside this one, or dots - 1 folders above: `from .helpers import f`, `from helpers import f`.
Module* Program::module_called(const Module& from, std::string_view name, std::uint64_t dots) {
  if (dots == 0 && (name == "triton" || name.starts_with("triton.") || name == "torch")) return nullptr;
  if (is_of_libdevice(from)) return libdevice_file(name);
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

}  // namespace tl::triton
