// The commands of the program: each adds itself, and leaves its exit code when it ran.
#pragma once

#include "interp/report/exit_codes.h"

namespace CLI {
class App;
}

namespace tl::cli {

void add_list_command(CLI::App& program, int& exit_code);
void add_run_command(CLI::App& program, int& exit_code);
void add_compare_command(CLI::App& program, int& exit_code);
void add_bench_command(CLI::App& program, int& exit_code);
void add_compile_command(CLI::App& program, int& exit_code);
void add_accesses_command(CLI::App& program, int& exit_code);

// The whole program, as main calls it.
int run_program(int argc, const char* const* argv);

}  // namespace tl::cli
