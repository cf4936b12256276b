// A Python file with those that it imports from: its functions, and what its names are before a launch.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interp/triton/tree.h"
#include "interp/triton/values.h"

namespace tl::triton {

// A function of a text.
struct Definition {
  Module* module = nullptr;
  const Node* node = nullptr;
  std::string name() const { return std::string(node->text); }
  const std::vector<ParameterNode>& parameters() const { return node->parts->parameters; }
};

// A class of a text: a NamedTuple, or one with @aggregate. Its values are named tuples.
struct Record {
  struct Field {
    const char* name;
    const Node* fallback;  // null: none
    Module* module;        // of its text
  };
  std::vector<Field> fields;
  std::map<std::string, const Definition*, std::less<>> methods;
  const Definition* init = nullptr;  // null: it takes the fields in their order
  std::vector<const char*> names() const;
};
// Whether the method is read without brackets.
bool is_property(const Definition&);

struct Module {
  std::unique_ptr<Tree> tree;
  std::filesystem::path folder;
  std::map<std::string, const Node*, std::less<>> statements;  // by the name that they give; the last one counts
  std::vector<const Node*> whole_imports;                      // from FILE import *
  std::map<std::string, Value, std::less<>> values;            // of names that were asked for
  std::map<std::string, std::string, std::less<>>
      unusable;  // names of a process's: "a list", which kernels cannot read
};

bool is_of_libdevice(const Module&);

class Program {
 public:
  // `file`: as messages and places name it; `folder`: where it imports from. Throws CompileError.
  Program(const std::string& file, std::string text, const std::filesystem::path& folder = ".");
  // Of texts whose names somebody else knows: each is added, and its `values` are filled.
  Program() = default;
  Module& add(const std::string& file, std::string text);

  const Source& source() const { return main_->tree->source; }
  std::vector<std::filesystem::path> imported_files();  // those that exist, and what they import
  // Decorated functions that no other names, in the order of the text; all decorated ones where each is named, all
  // functions where none is decorated.
  std::vector<const Definition*> kernels();
  // Throws Error: there are none; CompileError: what was skipped may hold one.
  [[noreturn]] void refuse_empty() const;
  // Throws Error: there is none; CompileError: what was skipped may hold it.
  const Definition& kernel(const std::string& name);

  // What a name of a module is; unknown where it is no function, import or constant. Throws CompileError.
  Value global(Module&, std::string_view name);
  // Why it is unknown, where a statement gives the name. Throws CompileError.
  std::optional<Error> why_unknown(Module&, std::string_view name);
  // triton.language.NAME, or a name of a module of ours; unknown where there is none.
  Value member(const Callable& of, std::string_view name);
  const Callable* callable(Callable c);
  const Definition& definition(Module&, const Node& function);
  // Throws CompileError: it has what such a class has not.
  const Record& record(Module&, const Node& class_);

 private:
  Module& load(const std::filesystem::path& file, std::string shown, std::string text);
  Value imported(Module&, const Node& statement, std::string_view name);
  Error why_not_imported(Module&, const Node& statement, std::string_view name, int files = 1);
  Module* libdevice_file(std::string_view name);  // "rounding"; null: there is none
  Value of_libdevice(std::string_view name);      // of its functions that are no ops; unknown where there is none
  Module* module_called(const Module& from, std::string_view name, std::uint64_t dots);

  std::map<std::filesystem::path, std::unique_ptr<Module>> modules_;
  Module* main_ = nullptr;
  std::map<const Node*, Definition> definitions_;
  std::map<const Node*, Record> records_;
  std::deque<Callable> callables_;
};

}  // namespace tl::triton
