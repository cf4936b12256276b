// tilescope page FILE.py: the page with that kernel in it, one HTML file to open or to mail.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "interp/case/file_kernel.h"
#include "interp/case/user_kernel.h"
#include "interp/cli/options.h"
#include "interp/cli/part.h"
#include "interp/lang/error.h"
#include "interp/lang/file_name.h"
#include "interp/lang/input_file.h"
#include "interp/lang/output_file.h"
#include "interp/report/exit_codes.h"
#include "viz/export/export.h"
#include "viz/page/state.h"
#include "viz/scene/panel_of.h"

namespace tl::page {

namespace {

namespace fs = std::filesystem;

struct Options {
  run::KernelOptions kernel;
  std::string out, panel;
};

// `make page` leaves it beside the program's build, `make install` in share.
std::string built_page() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& file : {folder / "page/tilescope.html", folder.parent_path() / "share/tilescope/tilescope.html"})
    if (std::error_code none; fs::is_regular_file(file, none)) return read_regular_file(file);
  throw Error("the page is not built: there is no " + (folder / "page/tilescope.html").string(),
              "`make page` builds it, with emscripten (apt install emscripten nodejs npm)");
}

// Where the page asks for its first kernel. A "<" in a kernel must not end the element.
std::string with_given(std::string page, const Json& given) {
  std::string text = given.dump();
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  const std::string begin = R"(id="given">)";
  const std::size_t at = page.find(begin);
  if (at == std::string::npos) throw Error("the built page is another program's", "build it again: make page");
  return page.replace(at + begin.size(), std::string_view("null").size(), text);
}

// x=@x.npy, expect=y=y.npy: the files that the words of a case read.
std::vector<std::string> files_in(const std::string& value) {
  constexpr std::string_view npy = ".npy";
  std::vector<std::string> files;
  for (std::size_t end = 0; (end = value.find(npy, end)) != std::string::npos;) {
    const std::size_t begin = value.find_last_of("@=;", end) + 1;
    end += npy.size();
    files.push_back(value.substr(begin, end - begin));
    files.back().erase(0, files.back().find_first_not_of(' '));
  }
  return files;
}

// What a kernel reads beside its text, under the names that it reads it by.
Json files_of(const cases::UserKernel& kernel, const problems::Settings& settings) {
  Json files = Json::array();
  const fs::path folder = fs::absolute(kernel.file()).parent_path();
  for (const fs::path& helper : kernel.imported_files())
    files.push_back(
        {{"name", helper.lexically_proximate(folder).generic_string()}, {"text", read_regular_file(helper)}});
  for (const auto& [name, value] : settings.values)
    for (const std::string& array : files_in(value))
      files.push_back({{"name", array}, {"base64", viz::base64(read_regular_file(array))}});
  return files;
}

int write_page(const Options& o) {
  const std::string name = file_in(o.kernel.kernel);
  if (!is_python(name))
    throw Error(name + " is no .py file, and a page runs Triton's Python alone",
                "give a kernel's .py: `tilescope new relu.py` begins one");
  if (!o.panel.empty()) viz::panel_of(o.panel);
  const problems::Problem problem = cases::problem_of_file(o.kernel.kernel);
  // Wrong words are refused here. Without words, the page asks for the missing values.
  const cases::UserKernel kernel(o.kernel.kernel);
  const bool is_complete =
      !o.kernel.settings.empty() || !cases::case_in(name, kernel.text(), kernel.functor().name).empty();
  const problems::Settings settings = is_complete ? problems::parse(problem, o.kernel.settings) : problems::Settings();
  const Json given = {{"text", kernel.text()},
                      {"files", files_of(kernel, settings)},
                      {"kernel", kernel_in(o.kernel.kernel)},
                      {"words", o.kernel.settings},
                      {"panel", o.panel.empty() ? "offsets" : o.panel}};
  write_file(o.out, with_given(built_page(), given));
  fmt::print("{}: the page with {} in it\n", o.out, name);
  return report::exit_ok;
}

void add_page_command(CLI::App& program, int& exit_code) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("page", "a kernel's .py as a page that runs it in any browser: to mail, to hand out");
  cli::add_kernel_options(*command, o->kernel);
  command->get_option("kernel")->description("a kernel's file in Triton's Python")->type_name("FILE.py");
  command->add_option("-o,--out", o->out, "the file")->required()->type_name("FILE.html");
  command->add_option("--panel", o->panel, "the picture that it begins with; default: offsets")->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  tilescope page softmax.py -o softmax.html\n"
      "  tilescope page add.py n=4097 --panel memory -o add.html");
  command->callback([o, &exit_code] { exit_code = write_page(*o); });
}

const cli::Part part(65, "tilescope page FILE.py -o F.html", "a kernel as a page that runs it in a browser",
                     add_page_command);

}  // namespace

}  // namespace tl::page
