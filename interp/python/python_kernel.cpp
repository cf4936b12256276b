#include "interp/python/python_kernel.h"

#include "interp/sources/sources.h"

namespace tl::python {

using triton::Callable;
using triton::Value;

PythonKernel::PythonKernel(std::vector<FunctionText> functions)
    : program_(std::make_shared<triton::Program>()), texts_(std::move(functions)) {
  for (const FunctionText& f : texts_) {
    sources::keep(f.file, f.source);
    modules_.push_back(&program_->add(f.file, f.text));
  }
}

void PythonKernel::set_name(std::size_t function, const std::string& name, Value value) {
  modules_.at(function)->values[name] = std::move(value);
}

void PythonKernel::set_unusable(std::size_t function, const std::string& name, std::string what) {
  modules_.at(function)->unusable[name] = std::move(what);
}

const triton::Definition& PythonKernel::definition(std::size_t number) {
  triton::Module& module = *modules_.at(number);
  const auto found = module.statements.find(texts_[number].name);
  if (found == module.statements.end() || found->second->kind != triton::NodeKind::function) {
    if (!module.tree->skipped.empty()) throw module.tree->skipped.front();
    throw CompileError("the text of " + texts_[number].name + " holds no function of that name",
                       "write it as `def`, with @triton.jit above it");
  }
  return program_->definition(module, *found->second);
}

Value PythonKernel::function(std::size_t number) {
  const Value found = program_->global(*modules_.at(number), texts_[number].name);
  if (!found.is_known()) definition(number);  // says why
  return found;
}

Value PythonKernel::module_of(const std::string& name, std::map<std::string, Value, std::less<>> members,
                              std::map<std::string, std::string, std::less<>> unusable) {
  triton::Module& module = program_->add("", "");
  module.values = std::move(members);
  module.unusable = std::move(unusable);
  return program_->callable({Callable::Kind::module, name, nullptr, nullptr, &module});
}

const std::vector<std::string>& PythonKernel::parameters() {
  if (parameters_.empty())
    for (const triton::ParameterNode& p : definition(0).parameters()) parameters_.emplace_back(p.name);
  return parameters_;
}

Launch PythonKernel::launch(const LaunchRequest& r) {
  std::call_once(is_read_, [&] { kernel_ = std::make_unique<triton::Kernel>(program_, definition(0)); });
  return kernel_->launch(r.grid, r.options, r.arguments, r.given);
}

}  // namespace tl::python
