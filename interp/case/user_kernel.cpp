#include "interp/case/user_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/hostcc/compiler.h"
#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/sources/sources.h"
#include "interp/text/model.h"
#include "kernels/problems/problem.h"

namespace tl::cases {

namespace fs = std::filesystem;

namespace {

constexpr const char* no_kernel =
    "a kernel is a struct whose operator() takes tl first: `tilescope new relu` writes one";

Functor chosen_functor(const fs::path& file, const std::string& text, const std::string& wanted) {
  const std::string name = file.filename().string();
  const text::Model model(name, text);
  const auto all = functors_of(model);
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

UserKernel::UserKernel(const std::string& name)
    : file_(name.substr(0, name.rfind(".h") + 2)),
      text_(read_regular_file(file_, most_text_bytes, other_names(file_))),
      functor_(chosen_functor(file_, text_, name.substr(std::min(name.size(), file_.string().size() + 1)))) {
  sources::also_read_from(fs::absolute(file_).parent_path());
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
