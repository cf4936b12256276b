#include "interp/case/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/case/python_signature.h"
#include "interp/hostcc/compiler.h"
#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/sources/sources.h"
#include "interp/text/model.h"
#include "interp/text/plain_text.h"
#include "interp/triton/launch.h"
#include "kernels/problems/problem.h"

namespace tl::cases {

namespace fs = std::filesystem;

namespace {

constexpr const char* no_kernel =
    "a kernel is a struct whose operator() takes tl first: `tilescope new relu` writes one";

Functor chosen_functor(const fs::path& file, const std::string& text, triton::Program* program,
                       const std::string& wanted) {
  const std::string name = file.filename().string();
  if (program && !wanted.empty()) return functor_of(*program, program->kernel(wanted));
  const auto all = program ? functors_of(*program) : functors_of(text::Model(name, text));
  if (program && all.empty()) program->refuse_empty();
  std::vector<std::string> names;
  for (const Functor& f : all) names.push_back(f.name);
  if (all.empty()) {
    hostcc::library_of({"", "", no_kernel, ""}, file);  // what is unfinished hides its functor
    throw Error(name + " holds no kernel", no_kernel);
  }
  if (wanted.empty() && all.size() > 1 &&
      !std::ranges::count(problems::all(), file.stem().string(), &problems::Problem::name))
    throw Error(fmt::format("{} holds {} kernels: {}", name, all.size(), fmt::join(names, ", ")),
                fmt::format("name one: {}:{}", file.string(), names.front()));
  if (wanted.empty()) return all.front();
  const auto it = std::ranges::find(all, wanted, &Functor::name);
  if (it != all.end()) return *it;
  const std::string guess = nearest(wanted, names);
  throw Error(
      fmt::format("{} holds no kernel \"{}\"", name, wanted),
      guess.empty() ? fmt::format("it holds {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", guess));
}

// For a file that cannot be read.
std::string other_names(const fs::path& file) {
  for (const problems::Problem& p : problems::all())
    if (p.name == file.stem()) return p.name + " is built in: it goes by its name";
  return "give a kernel's file, or a name of `tilescope list`";
}

}  // namespace

UserKernel::~UserKernel() = default;

UserKernel::UserKernel(const std::string& name)
    : file_(file_in(name)),
      text_(text::plain_text(read_regular_file(file_, most_text_bytes, other_names(file_)))),
      program_(tl::is_python(file_.string()) ? std::make_shared<triton::Program>(file_.filename().string(), text_,
                                                                                 fs::absolute(file_).parent_path())
                                             : nullptr),
      functor_(chosen_functor(file_, text_, program_.get(), kernel_in(name))) {
  sources::also_read_from(fs::absolute(file_).parent_path());
}

UserKernel::UserKernel(const std::string& file, std::string text, const std::string& kernel)
    : file_(file),
      text_(std::move(text)),
      program_(std::make_shared<triton::Program>(file, text_)),
      functor_(chosen_functor(file_, text_, program_.get(), kernel)) {
  sources::keep(file, text_);
}

std::vector<Word> UserKernel::words_of_text() const {
  return program_ ? cases::words_of_text(*program_, program_->kernel(functor_.name), file_.filename().string())
                  : std::vector<Word>{};
}

std::vector<fs::path> UserKernel::imported_files() const {
  return program_ ? program_->imported_files() : std::vector<fs::path>{};
}

Launch UserKernel::launch(const std::string& kinds, Grid grid, std::vector<Argument> arguments, LaunchOptions options,
                          const std::atomic<bool>* stop, const std::string& loop) {
  if (!program_) return compiled(kinds, loop, stop).launch(grid, std::move(arguments), options);
  const std::lock_guard lock(mutex_);
  if (!python_) python_ = std::make_unique<triton::Kernel>(program_, program_->kernel(functor_.name));
  return python_->launch(grid, options, std::move(arguments));
}

const hostcc::LoadedKernel& UserKernel::compiled(const std::string& kinds, const std::string& loop,
                                                 const std::atomic<bool>* stop) {
  const std::lock_guard lock(mutex_);
  const auto it = loaded_.find(kinds + " " + loop);
  if (it != loaded_.end()) return it->second;
  const std::string& full = functor_.full_name;
  const hostcc::Wanted wanted{.functor = full,
                              .parameters = kinds,
                              .restore = no_kernel,
                              .example = "`tilescope new relu` writes one",
                              .loop = loop.empty() ? "" : full.substr(0, full.size() - functor_.name.size()) + loop};
  return loaded_
      .emplace(kinds + " " + loop,
               hostcc::LoadedKernel(wanted, hostcc::library_of(wanted, file_, stop), file_.filename().string()))
      .first->second;
}

}  // namespace tl::cases
