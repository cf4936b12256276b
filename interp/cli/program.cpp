// The program around the commands: help, version, and every error as one clear sentence with its fix.
#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "interp/case/file_kernel.h"
#include "interp/cli/commands.h"
#include "interp/cli/completion.h"
#include "interp/cli/man_page.h"
#include "interp/cli/own_process.h"
#include "interp/cli/part.h"
#include "interp/cuda/host/compile.h"
#include "interp/hostcc/ending.h"
#include "interp/lang/output_file.h"
#include "interp/lang/stop_scope.h"
#include "interp/lang/text.h"
#include "interp/lang/unavailable.h"
#include "interp/report/fault_text.h"
#include "interp/run/interrupt.h"
#include "interp/sources/sources.h"
#include "kernels/problems/registry.h"

namespace tl::cli {

using namespace report;
using namespace run;

namespace {

constexpr const char* commands_overview =
    "  tilescope list                                  the kernels there are\n"
    "  tilescope run copy_wrong_offsets n=6 block=2    run one and see why it is wrong\n"
    "  tilescope new relu                              begin a kernel of your own: relu.h, which every command takes\n"
    "  tilescope run swizzle blocks_m=5 --json         for other programs to read\n"
    "  tilescope debug softmax                         step through a program, forwards and backwards\n"
    "  tilescope trace softmax -o softmax.tltrace      record a run, for `tilescope debug FILE`\n"
    "  tilescope compare matmul                        interpreter, GPU and reference side by side\n"
    "  tilescope bench add --sweep n=2^12:2^24:x4      timings beside somebody else's code\n"
    "  tilescope tune matmul m=2048 n=2048 k=2048      which blocks, warps and stages are fastest, and why\n"
    "  tilescope accesses matmul m=8192 n=8192 k=8192  which tiles every program loads and stores, without its data\n"
    "  tilescope compile matmul --arch sm_90a          registers, spills, shared memory; needs no GPU\n"
    "  tilescope translate softmax.py                  a kernel in Triton's Python as C++\n";

std::string overview() {
  std::string text = "tilescope: write a GPU kernel once; watch it on the CPU, run it on the GPU.\n\n";
  for (const Part& part : parts()) text += fmt::format("  {:<47} {}\n", part.example, part.meaning);
  return text + commands_overview + "\n`tilescope COMMAND --help` shows a command's options and examples.\n";
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* sub : program.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); }))
    names.push_back(sub->get_name());
  return names;
}

bool is_command(const CLI::App& program, const std::string& word) {
  return !program.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; }).empty();
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

bool is_kernel(const std::string& word) {
  if (problems::names_file(word)) return true;
  for (const auto& p : problems::all())
    if (p.name == word) return true;
  return false;
}

// What was typed where a command belongs.
Error unknown_command(const CLI::App& program, const std::string& word) {
  if (is_kernel(word))
    return Error(fmt::format("\"{}\" is a kernel, not a command", word), fmt::format("tilescope run {}", word));
  const auto names = command_names(program);
  const std::string guess = nearest(word, names);
  return Error(fmt::format("there is no {} \"{}\"", word.starts_with("-") ? "option" : "command", word),
               guess.empty() ? "the commands: " + joined(names) : fmt::format("did you mean `tilescope {}`?", guess));
}

// learn debug
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent && parent->get_parent() ? full_name(*parent) + " " : "") + command.get_name();
}

Error unknown_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string fact = fmt::format("`tilescope {}` has no option \"{}\"", full_name(command), name);
  std::vector<std::string> names, elsewhere;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& own : o->get_lnames()) names.push_back("--" + own);
  for (const CLI::App* other : command.get_parent()->get_subcommands([](const CLI::App*) { return true; }))
    if (name.starts_with("--") && command.get_parent()->get_parent() && other->get_option_no_throw(name))
      elsewhere.push_back(fmt::format("`tilescope {} {}`", full_name(*other), name));
  if (!elsewhere.empty()) return Error(fact, fmt::format("there is {}", fmt::join(elsewhere, ", ")));
  const std::string guess = nearest(name, names);
  return Error(fact, guess.empty() ? "its options: " + joined(names) : fmt::format("did you mean {}?", guess));
}

// The option that CLI11 complains about, and what was given for it.
const CLI::Option* option_named_in(const CLI::App& command, const std::string& what) {
  const auto at = what.find("--");
  return at == std::string::npos ? nullptr
                                 : command.get_option_no_throw(what.substr(at, what.find_first_of(": ", at) - at));
}

Error refused_value(const CLI::Option& option, const CLI::ParseError& e) {
  const std::string name = option.get_name();
  const std::string how = fmt::format("write {} {}", name, option.get_type_name());
  if (dynamic_cast<const CLI::RequiredError*>(&e)) return Error(name + " is missing", how);
  const auto& values = option.results();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) && values.size() > 1)
    return Error(
        fmt::format("{} is given {}: \"{}\"", name,
                    values.size() == 2 ? "twice" : fmt::format("{} times", values.size()), fmt::join(values, "\", \"")),
        "leave all but one out");
  for (const std::string& value : values)
    if (!value.empty()) return Error(fmt::format("{} cannot be \"{}\"", name, value), how);
  return Error(name + " needs a value", how);
}

// A word that no option and no argument takes.
Error unknown_word(const CLI::App& command, const std::string& word) {
  if (word.starts_with("-")) return unknown_option(command, word);
  return Error(fmt::format("`tilescope {}` has no use for \"{}\"", full_name(command), word),
               fmt::format("`tilescope {} --help` shows what it takes", full_name(command)));
}

// An empty value is a variable of the shell that is not set, or a slip; of conditions alone it means something: all
// programs.
void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options())
    if (option->nonpositional() && option->get_expected_min() > 0 && option->get_type_name() != "COND")
      option->check([](const std::string& value) { return value.empty() ? "empty" : ""; }, "");
}

// Turns CLI11's error messages into a fact and a fix.
Error explained(const CLI::App& program, const CLI::ParseError& e, const std::string& first_word) {
  const auto parsed = program.get_subcommands();
  if (parsed.empty()) return unknown_command(program, first_word);
  const CLI::App* deepest = parsed.front();
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  const CLI::App& command = *deepest;
  if (dynamic_cast<const CLI::ExtrasError*>(&e)) {
    for (const std::string& word : program.remaining(false))
      return Error(fmt::format("\"{}\" stands before the command", word),
                   fmt::format("write it behind: tilescope {} ... {}", full_name(command), word));
    for (const std::string& word : parsed.front()->remaining(true)) return unknown_word(command, word);
  }
  std::string fact = e.what();
  if (const CLI::Option* option = option_named_in(command, fact)) return refused_value(*option, e);
  if (fact == "kernel is required" || fact == "kernels is required")
    fact = fmt::format("`tilescope {}` needs to know which kernel", full_name(command));
  return Error(fact, fmt::format("`tilescope {} --help` shows how", full_name(command)));
}

int report(const Error& e, int exit_code) {
  std::fputs(error_report(e.what(), e.fix, paint_of(stderr)).c_str(), stderr);  // fmt would throw where stderr is full
  return exit_code;
}

// Reports an exception of a library without guessing at its cause.
int report_unforeseen(const std::exception& e) {
  if (dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const std::length_error*>(&e))
    return report(Error("the machine's memory does not suffice", "choose smaller sizes"), exit_wrong_use);
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&e))
    return report(Error(fmt::format("\"{}\" cannot be used: {}", file->path1().string(), file->code().message()),
                        "see that it is there, and yours"),
                  exit_failed);
  if (const auto* system = dynamic_cast<const std::system_error*>(&e))
    return report(Error(fmt::format("the system refused: {}", system->code().message()),
                        "see that files are readable, and that `ulimit -a` allows enough threads and open files"),
                  exit_failed);
  return report(Error(fmt::format("a mistake in tilescope itself: {}", e.what()),
                      "please report it, with the command that you typed"),
                exit_failed);
}

// `tilescope help run` is `tilescope run --help`.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  if (!words.empty()) words = {words.front(), "--help"};
  return words;
}

// A file opened later would take the place of a closed stdout, and what is printed would end up in it.
void occupy_closed_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1) (void)!open("/dev/null", O_RDONLY);  // takes the lowest number that is free, this one
}

// The end of the program. What was printed is lost where stdout is a full disk or closed: a failed run, whatever it
// found.
int with_output_written(int exit_code) {
  hostcc::has_returned();
  if (exit_code == exit_interrupted) leave(exit_code);
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit_code;
  const OutputError e = not_written("standard output", errno);
  report(Error(e.what(), "see where > or | leads"), exit_failed);
  return exit_code == exit_ok ? exit_failed : exit_code;
}

// What `make install` and shells ask for: `tilescope man`, `completion SHELL`, `complete WORDS`.
bool for_a_shell(const CLI::App& program, const std::vector<std::string>& words) {
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words.front() == "man" && rest.empty()) fmt::print("{}", man_page(program, overview()));
  else if (words.front() == "completion") fmt::print("{}", completion_script(rest.empty() ? "" : rest.front()));
  else if (words.front() != "complete") return false;
  else
    for (const std::string& word : completions(program, rest)) fmt::print("{}\n", word);
  return true;
}

// The first kernel's file among the words of a command that runs kernels; "" without one.
std::string kernel_file_among(const CLI::App& program, const std::vector<std::string>& words) {
  const auto takes_kernels = [&](const CLI::App* command) {
    return command->get_name() == words.front() &&
           (command->get_option_no_throw("kernel") || command->get_option_no_throw("kernels"));
  };
  if (program.get_subcommands(takes_kernels).empty()) return "";
  const auto file = std::ranges::find_if(words, problems::names_file);
  return file == words.end() ? "" : *file;
}

int carry_out(const std::vector<std::string>& words) {
  int exit_code = exit_ok;
  CLI::App program{"write a GPU kernel once; watch it on the CPU, run it on the GPU", "tilescope"};
  program.set_version_flag("--version", [] {
    return fmt::format("tilescope {}\nCUDA toolkit: {}", TILESCOPE_VERSION,
                       cuda::toolkit_available() ? cuda::toolkit_version() : "none");
  });
  program.require_subcommand(0, 1);
  program.footer("Run `tilescope` alone for examples.");
  add_list_command(program, exit_code);
  add_new_command(program, exit_code);
  add_run_command(program, exit_code);
  add_repro_command(program, exit_code);
  add_compare_command(program, exit_code);
  add_bench_command(program, exit_code);
  add_tune_command(program, exit_code);
  add_compile_command(program, exit_code);
  add_translate_command(program, exit_code);
  add_counters_command(program, exit_code);
  add_coalesce_command(program, exit_code);
  add_schedule_command(program, exit_code);
  add_banks_command(program, exit_code);
  add_occupancy_command(program, exit_code);
  add_roofline_command(program, exit_code);
  add_launch_once_command(program, exit_code);
  add_debug_command(program, exit_code);
  add_dap_command(program, exit_code);
  add_trace_command(program, exit_code);
  add_accesses_command(program, exit_code);
  for (const Part& part : parts()) part.add(program, exit_code);
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) refuse_empty_values(*command);

  try {
    if (words.empty()) return fmt::print("{}", overview()), exit_ok;
    if (for_a_shell(program, words)) return exit_ok;
    if (words.size() == 2 && words.back() == "--help" && !words.front().starts_with("-") &&
        !is_command(program, words.front()))
      throw unknown_command(program, words.front());
    if (const std::string file = kernel_file_among(program, words); !file.empty()) go_on_in_own_process(file);
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the end
    return exit_code;
  } catch (const CLI::Success& e) {
    return program.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    return report(explained(program, e, words.empty() ? "" : words.front()), exit_wrong_use);
  } catch (const CompileError& e) {
    return report(e, exit_failed);
  } catch (const OutputError& e) {
    return report(e, exit_failed);
  } catch (const Unavailable& e) {
    return report(e, exit_failed);
  } catch (const Stopped&) {
    return interrupted();
  } catch (const Error& e) {
    return report(e, exit_wrong_use);
  } catch (const FaultError& e) {
    std::fputs(fault_text(e.fault, paint_of(stderr)).c_str(), stderr);
    return exit_failed;
  } catch (const std::exception& e) {
    if (std::ferror(stdout)) return exit_failed;  // after all output has been tried
    return report_unforeseen(e);
  }
}

// OMP_NUM_THREADS may ask for more threads than the system has, or for thousands that take turns. OpenMP has read it
// before main, for each thread of ours: the program begins again.
void bear_threads(const char* const* argv) {
  const int most = 16 * omp_get_num_procs();
  if (omp_get_max_threads() <= most) return;
  setenv("OMP_NUM_THREADS", std::to_string(most).c_str(), 1);
  execv("/proc/self/exe", const_cast<char* const*>(argv));
  omp_set_num_threads(most);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  occupy_closed_streams();
  bear_threads(argv);
  catch_interrupts();
  problems::read_files_by(cases::problem_of_file);
  problems::read_texts_by(cases::problems_of_texts);
  return with_output_written(carry_out(words_of(argc, argv)));
}

}  // namespace tl::cli
