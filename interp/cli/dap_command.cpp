// tilescope dap: the debugger for editors, by the Debug Adapter Protocol.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "interp/case/words.h"
#include "interp/cli/commands.h"
#include "interp/dap/serve.h"
#include "interp/hostcc/child.h"
#include "interp/lang/file_name.h"
#include "interp/lang/input_file.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"
#include "interp/lang/unfinished.h"
#include "interp/report/terminal.h"
#include "interp/run/record.h"
#include "interp/trace/file.h"

namespace tl::cli {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const dap::LaunchRequest& request) {
  if (request.folder.empty()) return fs::current_path();
  if (!fs::is_directory(request.folder))
    throw Error(fmt::format("\"cwd\" is not a folder: {}", request.folder), "the folder that \"program\" is told from");
  return request.folder;
}

// The kernel's text; "" where it stands in no file.
std::string text_of(const dap::LaunchRequest& request) {
  const fs::path file = folder_of(request) / file_in(request.program);
  std::error_code none;
  return problems::names_file(request.program) && fs::is_regular_file(file, none) ? read_regular_file(file) : "";
}

// `tilescope COMMAND` of the request's case, in a process of its own: what a kernel prints is not taken for the
// protocol, and its crash ends no session.
hostcc::ChildResult run_command(const dap::LaunchRequest& request, std::vector<std::string> argv,
                                const std::string& input, const std::atomic<bool>& stop) {
  argv.insert(argv.begin(), "/proc/self/exe");
  argv.insert(argv.end(), {"--", request.program});
  for (const std::string& line : request.words)
    for (const cases::Word& word : cases::words_of(line, "")) argv.push_back(word.text());
  hostcc::ChildLimits limits;  // none: pause and disconnect end it
  limits.seconds = 1e9;
  limits.cpu_seconds = 1 << 30;
  limits.file_bytes = std::numeric_limits<std::int64_t>::max();
  limits.stop = &stop;
  const hostcc::ChildResult result = hostcc::run_child(argv, folder_of(request), input, limits);
  if (result.stopped) throw Stopped();
  return result;
}

[[noreturn]] void throw_ending(const hostcc::ChildResult& result, const std::string& command) {
  std::string said = trimmed(result.err.empty() ? result.out : result.err);
  constexpr std::string_view name = "tilescope: ";
  if (said.empty()) throw Error(fmt::format("`tilescope {}` ", command) + words_of(result), fix_of(result));
  throw Error(said.starts_with(name) ? said.substr(name.size()) : said);
}

trace::RecordedTrace recorded(const dap::LaunchRequest& request, const std::atomic<bool>& stop) {
  const fs::path folder = folder_of(request);
  if (request.program.empty()) throw Error("\"program\" is empty", "a kernel's file, or one of `tilescope list`");
  if (run::is_recording(request.program)) {
    run::require_recording(request.program, request.words);
    return trace::load((folder / request.program).string());
  }
  const TemporaryFolder scratch;
  const std::string file = scratch.path() / "run.tltrace";
  std::vector<std::string> argv{"trace", "--out", file};
  argv.insert(argv.end(), request.options.begin(), request.options.end());
  if (!request.condition.empty()) argv.insert(argv.end(), {"--values", request.condition});
  const hostcc::ChildResult result = run_command(request, argv, "", stop);
  if (!fs::exists(file)) throw_ending(result, "trace");
  return trace::load(file);
}

std::string reason(const dap::LaunchRequest& request, const std::string& cell, const std::atomic<bool>& stop) {
  if (run::is_recording(request.program))
    throw Error("a recording does not say what is right", "launch the kernel itself");
  std::vector<std::string> argv{"debug", "--json"};
  argv.insert(argv.end(), request.options.begin(), request.options.end());
  const hostcc::ChildResult result = run_command(request, argv, "goto end\nwhy " + cell + "\n", stop);
  const std::string answers = trimmed(result.out);
  const auto answer = nlohmann::json::parse(answers.substr(answers.rfind('\n') + 1), nullptr, false);
  if (!answer.is_object() || !answer.contains("output")) throw_ending(result, "debug");
  if (answer.contains("error")) throw Error(answer["error"]["fact"], answer["error"]["fix"]);
  return answer["output"];
}

int serve() {
  if (report::is_terminal(stdin))
    fmt::print(stderr,
               "tilescope: waiting for an editor's messages; `tilescope dap --help` says how editors start it\n");
  std::ios::sync_with_stdio(false);
  // The reason is that of the text which the session shows.
  std::string text;
  dap::serve(
      std::cin, std::cout,
      [&](const dap::LaunchRequest& request, const std::atomic<bool>& stop) {
        text = text_of(request);
        return recorded(request, stop);
      },
      [&](const dap::LaunchRequest& request, const std::string& cell, const std::atomic<bool>& stop) {
        if (text_of(request) != text)
          throw Error(request.program + " has changed since it was recorded", "restart the session");
        return reason(request, cell, stop);
      });
  return report::exit_ok;
}

}  // namespace

void add_dap_command(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("dap", "the debugger for editors: the Debug Adapter Protocol on stdin and stdout");
  command->footer(
      "An editor starts it, and sends `launch` with\n"
      "  program     a kernel's file, relu.h; one of `tilescope list`; a recording, run.tltrace\n"
      "  case        its case: \"n=4097 BLOCK=256\", as behind `tilescope run relu.h`\n"
      "  grid        its programs: \"cdiv(n, BLOCK)\"\n"
      "  pid         \"=3\": such programs alone keep their values, and the first of them is where it begins\n"
      "  seed, programs, budget, stepLimit   as of `tilescope trace`\n"
      "  stopOnEntry, noDebug, cwd            as of any debugger\n\n"
      "VS Code and Neovim: share/tilescope/editors/README.md beside the installed program says how.");
  command->callback([&exit_code] { exit_code = serve(); });
}

}  // namespace tl::cli
