#include "interp/case/file_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "interp/case/cpp_problem.h"
#include "interp/case/expected.h"
#include "interp/case/file_case.h"
#include "interp/case/fill.h"
#include "interp/case/loop_expected.h"
#include "interp/case/scope.h"
#include "interp/case/tolerances.h"
#include "interp/case/user_kernel.h"
#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/output_file.h"
#include "interp/lang/text.h"
#include "interp/lang/unfinished.h"
#include "interp/sources/sources.h"
#include "interp/text/model.h"
#include "kernels/problems/build.h"
#include "kernels/problems/shared_inputs.h"

namespace tl::cases {

namespace fs = std::filesystem;

namespace {

int small(const Word& word, const Scope& scope, int most) {
  const std::int64_t value = scope.integer(word, word.value);
  if (value < 1 || value > most || (word.name == "warps" && (value & (value - 1)) != 0))
    throw Error(fmt::format("{}{} is out of range", word.place, word.text()),
                word.name == "warps" ? "choose warps from 1, 2, 4, 8, 16, 32"
                                     : fmt::format("choose {} from 1 to {}", word.name, most));
  return static_cast<int>(value);
}

Grid grid_of(const Word& word, const Scope& scope) {
  const auto axes = list_of(word);
  if (axes.size() > 3)
    throw Error(fmt::format("{}{}: a grid of {} axes", word.place, word.text(), axes.size()), "a grid has 3 at most");
  const auto sizes = scope.integers(word, axes);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1)
      throw Error(fmt::format("{}{}: {} is {}, and a grid has at least one program an axis", word.place, word.text(),
                              std::to_string(sizes[i]) == axes[i] ? fmt::format("axis {}", i) : axes[i], sizes[i]),
                  "choose larger sizes");
  return {sizes[0], sizes.size() > 1 ? sizes[1] : 1, sizes.size() > 2 ? sizes[2] : 1};
}

std::vector<int> tile_of(const Word& word, const Scope& scope) {
  const TensorWord t = tensor_of(word);
  if (!t.tile)
    throw Error(
        fmt::format("{}{}: a descriptor cuts its tensor in tiles, and no :tile[...] says how", word.place, word.text()),
        fmt::format("{}={}:tile[64, 64]", word.name, word.value));
  std::vector<int> tile;
  for (const std::int64_t n : scope.integers(word, *t.tile)) tile.push_back(static_cast<int>(n));
  return tile;
}

// What the tensor of a word holds: its text, and what the expressions in it come to.
std::string values_of(const Word& word, const TensorWord& t, const Scope& scope, std::uint64_t seed,
                      std::size_t stream) {
  std::string values = fmt::format("{} {} {}", word.value, seed, stream);
  for (const auto* expressions : {&t.dims, &t.strides})
    if (*expressions)
      for (const std::int64_t n : scope.integers(word, **expressions)) values += fmt::format(" {}", n);
  if (t.fill != "bytes")
    for (const std::string& e : t.fill_arguments) values += fmt::format(" {}", scope.real(word, e));
  return values;
}

// 1e6 and 2^10 are integers, 1.0 and 1e-6 are floats.
char constant_kind(const Word& word, const Scope& scope) {
  if (is_text(word.value)) return 's';
  if (dtype_constant(word.value)) return 'y';
  if (scope.is_whole(word)) return 'c';
  const double value = scope.real(word, word.value);
  return std::isfinite(value) && value == std::floor(value) && word.value.find('.') == std::string::npos ? 'c' : 'r';
}

Argument argument_of(char kind, const Word& word, const Scope& scope, const Tensor& tensor) {
  switch (kind) {
    case 't': return TensorArgument{tensor};
    case 'd': return DescriptorArgument{tensor, tile_of(word, scope)};
    case 'f': return FloatArgument{static_cast<float>(scope.real(word, word.value))};
    case 'c': return ConstantArgument{scope.integer(word, word.value), scope.is_bool(word)};
    case 'r': return RealConstantArgument{scope.real(word, word.value)};
    case 's': return TextConstantArgument{word.value.substr(1, word.value.size() - 2)};
    case 'y': return DtypeConstantArgument{*dtype_constant(word.value)};
    default: return problems::integer(scope.integer(word, word.value));
  }
}

class FileKernel {
 public:
  template <class... Of>  // what a UserKernel is made of
  explicit FileKernel(const Of&... of)
      : kernel_(of...),
        case_(std::make_shared<FileCase>(kernel_.file().filename().string(), kernel_.text(), kernel_.functor(),
                                         kernel_.words_of_text())) {}

  const FileCase& words() const { return *case_; }
  problems::Tuning tuning() const { return FileCase::tuning(case_); }
  problems::Instance make(const problems::Settings& settings, std::uint64_t seed);

 private:
  std::string loop_of(const Word& expect) const;
  problems::Instance make_like(const std::string& like, std::uint64_t seed);
  static void replace(Launch& theirs, UserKernel& kernel, const std::string& base);

  UserKernel kernel_;
  std::map<std::string, std::unique_ptr<UserKernel>> others_;  // of the file, by functor
  std::shared_ptr<const FileCase> case_;
};

// Their launches, each with the file's functor of that name; where there is but one, this functor in it.
problems::Instance FileKernel::make_like(const std::string& like, std::uint64_t seed) {
  const auto [base, own] = like_of(like);
  problems::Instance instance = base->make(problems::parse(*base, own), seed);
  instance.wrong_on_purpose = false;
  if (instance.launches.size() == 1) {
    replace(instance.launches.front(), kernel_, base->name);
    return instance;
  }
  bool is_any = false;
  const auto functors = functors_of(text::Model(case_->file(), kernel_.text()));
  for (Launch& launch : instance.launches) {
    const std::string name = launch.kernel.substr(launch.kernel.rfind(':') + 1);
    if (!std::ranges::count(functors, name, &Functor::name)) continue;
    auto [it, is_new] = others_.try_emplace(name);
    if (is_new) it->second = std::make_unique<UserKernel>(kernel_.file().string() + ":" + name);
    replace(launch, *it->second, base->name);
    is_any = true;
  }
  if (!is_any)
    throw Error(fmt::format("{} is {} launches, and {} holds none of their kernels", base->name,
                            instance.launches.size(), case_->file()),
                "choose a kernel of one launch");
  return instance;
}

void FileKernel::replace(Launch& theirs, UserKernel& kernel, const std::string& base) {
  const Functor& functor = kernel.functor();
  std::string kinds, they_pass, it_takes;
  bool fits = theirs.arguments.size() == functor.parameters.size();
  for (std::size_t i = 0; i < theirs.arguments.size(); ++i) {
    kinds += kind_of(theirs.arguments[i]);
    they_pass += fmt::format("{}{}", i ? ", " : "", kind_name(kinds.back()));
    fits = fits && (functor.parameters[i].kind == '?' || functor.parameters[i].kind == kinds.back() ||
                    (functor.parameters[i].kind == 'c' && is_constant(kinds.back())));
  }
  for (const Parameter& p : functor.parameters)
    it_takes += fmt::format("{}{} {}", it_takes.empty() ? "" : ", ", kind_name(p.kind), p.name);
  if (!fits)
    throw Error(fmt::format("{} does not take what {} is launched with", functor.name, base),
                fmt::format("it takes {}; {} is passed {}", it_takes, base, they_pass));
  theirs = kernel.launch(kinds, theirs.grid, theirs.arguments, theirs.options);
}

// The plain loop that the case names, in the kernel's file; "": none.
std::string FileKernel::loop_of(const Word& expect) const {
  const std::string loop = loop_in(expect);
  if (loop.empty()) return loop;
  if (kernel_.is_python())
    throw Error(fmt::format("{}expect={}: a plain loop beside the kernel is C++", expect.place, loop),
                "expect='y = max(x, 0)' takes an expression, expect=y=y.npy a file");
  std::vector<std::string> names;
  const text::Model model(case_->file(), kernel_.text());
  for (const text::Function& f : model.functions())
    if (!f.is_functor) names.push_back(f.name);
  if (std::ranges::count(names, loop)) return loop;
  const std::string guess = nearest(loop, names);
  throw Error(fmt::format("{}expect={}: {} holds no function of that name", expect.place, loop, case_->file()),
              guess.empty() ? fmt::format("write `void {}(auto& args)`, a plain loop, or y = an expression", loop)
                            : fmt::format("did you mean {}?", guess));
}

problems::Instance FileKernel::make(const problems::Settings& settings, std::uint64_t seed) {
  Words words = case_->words_of(settings);
  const Scope scope(words);
  if (const Word& said = words["fill_seed"]; !said.value.empty())
    seed = static_cast<std::uint64_t>(scope.integer(said, said.value));
  if (const std::string& like = settings.text("like"); !like.empty()) return make_like(like, seed);
  problems::Instance instance;
  std::vector<Argument> arguments;
  std::vector<Tensor> begins, given;  // what outputs hold first instead of poison; the inputs of the reference
  std::string kinds;
  const auto tensor_for = [&](const std::string& name, const Word& word, bool is_stored, std::size_t stream) {
    const TensorWord said = tensor_of(word);
    const auto make = [&] { return filled_tensor(name, word, said, scope, seed, stream); };
    const Tensor t =
        said.is_output() || is_stored || !said.file.empty() || said.fill == "each" || said.fill == "addresses"
            ? make()
            : problems::shared_input(name, values_of(word, said, scope, seed, stream), make);
    const bool has_values = said.role != TensorWord::Role::out || !said.fill.empty() || !said.file.empty();
    if (said.is_output()) {
      instance.outputs.push_back(t);
      begins.push_back(has_values ? clone(t) : Tensor{});
    } else {
      instance.inputs.push_back(t);
    }
    if (has_values) given.push_back(said.is_output() ? begins.back() : t);
    instance.bytes +=
        static_cast<double>(t.elems() * size_in_bytes(t.dtype)) * (said.is_output() && has_values ? 2 : 1);
    return t;
  };
  for (const Parameter& p : case_->functor().parameters) {
    const std::string name = case_->canonical(p.name);
    const Word& word = words[name];
    Tensor t;
    if (is_tensor(word.value)) t = tensor_for(name, word, p.is_stored, arguments.size());
    if (word.value == "None") t = none_tensor(name);
    const bool is_constant = p.kind == 'c' && word.value != "None";
    char kind = p.kind;
    if (is_constant) kind = constant_kind(word, scope);
    else if (kind == '?' || kind == 'c') {
      if (t.storage) kind = is_tensor(word.value) && tensor_of(word).tile ? 'd' : 't';
      else kind = scope.is_whole(word) ? 'i' : 'f';
    }
    kinds += kind;
    arguments.push_back(argument_of(kinds.back(), word, scope, t));
  }
  std::vector<Tensor> reached;  // no parameters: by addresses alone
  for (const auto& [name, word] : words)
    if (!case_->is_parameter(name) && !is_own_word(name) && is_tensor(word.value))
      reached.push_back(tensor_for(name, word, false, arguments.size() + reached.size()));
  LaunchOptions options{small(words["warps"], scope, 32), small(words["stages"], scope, 8)};
  if (!words["registers"].value.empty()) options.max_registers = small(words["registers"], scope, 255);
  const Word& expect = words["expect"];
  const std::string loop = loop_of(expect);
  instance.launches = {
      kernel_.launch(kinds, grid_of(words["grid"], scope), std::move(arguments), options, nullptr, loop)};
  instance.launches.front().reached = std::move(reached);
  const std::vector<Tensor> all = tensors_of(instance.launches.front());
  for (const Tensor& t : all)
    if (t.holds_addresses) fill_addresses(t, words[t.name], tensor_of(words[t.name]), all);
  instance.reset = [outputs = instance.outputs, begins] {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Tensor &to = outputs[i], &from = begins[i];
      if (!from.storage) poison(to);
      else if (to.holds_data) std::memcpy(to.data(), from.data(), static_cast<std::size_t>(to.storage_bytes()));
    }
  };
  const Word& tolerance = words["tolerance"];
  if (tolerance.value.empty()) set_usual_tolerances(instance, case_->functor());
  else {
    const double t = scope.real(tolerance, tolerance.value);
    instance.tolerances.assign(instance.outputs.size(), {t, t});
  }
  if (!loop.empty())
    instance.reference_at = expected_by(kernel_.compiled(kinds, loop).loop(), expect, instance.outputs, given, scope);
  else if (!expect.value.empty()) {
    instance.reference_at = expected_of(expect, instance.outputs, given, scope);
    if (tolerance.value.empty()) instance.sum_errors_at = sum_errors_of(expect, instance.outputs, given, scope);
  }
  return problems::complete(std::move(instance));
}

problems::Problem problem_of(const std::shared_ptr<FileKernel>& kernel, const std::string& name) {
  problems::Problem problem{
      name, kernel->words().summary(), kernel->words().file(), kernel->words().settings(),
      [kernel](const problems::Settings& settings, std::uint64_t seed) { return kernel->make(settings, seed); }};
  problem.parse = [kernel](const std::vector<std::string>& words) { return kernel->words().parse(words); };
  problem.tuning = kernel->tuning();
  return problem;
}

}  // namespace

problems::Problem problem_of_file(const std::string& name) {
  const fs::path file = file_in(name), cpp = fs::path(file).replace_extension(".cpp");
  std::error_code none;
  if (!is_python(file.string()) && fs::is_regular_file(cpp, none) && fs::is_regular_file(file, none)) {
    sources::also_read_from(fs::absolute(file).parent_path());
    return problem_of_cpp(cpp, name);
  }
  return problem_of(std::make_shared<FileKernel>(name), name);
}

problems::Problem problem_of_text(const std::string& file, const std::string& text, const std::string& kernel) {
  return problem_of(std::make_shared<FileKernel>(file, text, kernel), kernel.empty() ? file : file + ":" + kernel);
}

std::vector<problems::Problem> problems_of_texts(const std::vector<problems::Problem>& others) {
  std::vector<problems::Problem> found;
  for (const sources::SourceFile& f : sources::all_sources()) {
    const fs::path path(f.path);
    const bool is_kernel =
        f.path.starts_with("kernels/") && (f.text.starts_with("// case") || f.text.find("\n// case") != f.text.npos);
    if (!is_kernel || std::ranges::count(others, path.stem().string(), &problems::Problem::name)) continue;
    static const TemporaryFolder folder;  // a compiler reads files
    const fs::path file = folder.path() / path.filename();
    write_file(file.string(), f.text);
    const auto functors = functors_of(text::Model(path.filename().string(), std::string(f.text)));
    if (functors.empty()) continue;
    found.push_back(problem_of_file(file.string() + ":" + functors.front().name));
    found.back().name = path.stem().string();
  }
  return found;
}

}  // namespace tl::cases
