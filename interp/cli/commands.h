// The commands of the program: each adds itself, and leaves its exit code when it ran.
#pragma once

namespace CLI { class App; }

namespace tl::cli {

inline constexpr int exit_ok = 0, exit_failed = 1, exit_wrong_use = 2, exit_interrupted = 130;  // 128 + SIGINT, as shells count

void add_list_command(CLI::App& program, int& exit_code);
void add_run_command(CLI::App& program, int& exit_code);
void add_compare_command(CLI::App& program, int& exit_code);
void add_bench_command(CLI::App& program, int& exit_code);
void add_compile_command(CLI::App& program, int& exit_code);
void add_accesses_command(CLI::App& program, int& exit_code);

// The whole program, as main calls it.
int run_program(int argc, const char* const* argv);

}  // namespace tl::cli
