// The commands of the program: each adds itself, and leaves its exit code when it ran.
#pragma once

#include "interp/report/exit_codes.h"

namespace CLI {
class App;
}

namespace tl::cli {

void add_list_command(CLI::App& program, int& exit_code);
void add_new_command(CLI::App& program, int& exit_code);
void add_run_command(CLI::App& program, int& exit_code);
void add_repro_command(CLI::App& program, int& exit_code);
void add_compare_command(CLI::App& program, int& exit_code);
void add_bench_command(CLI::App& program, int& exit_code);
void add_tune_command(CLI::App& program, int& exit_code);
void add_compile_command(CLI::App& program, int& exit_code);
void add_translate_command(CLI::App& program, int& exit_code);
void add_accesses_command(CLI::App& program, int& exit_code);
void add_debug_command(CLI::App& program, int& exit_code);
void add_dap_command(CLI::App& program, int& exit_code);
void add_trace_command(CLI::App& program, int& exit_code);
void add_coalesce_command(CLI::App& program, int& exit_code);
void add_banks_command(CLI::App& program, int& exit_code);
void add_occupancy_command(CLI::App& program, int& exit_code);
void add_roofline_command(CLI::App& program, int& exit_code);
void add_schedule_command(CLI::App& program, int& exit_code);
void add_counters_command(CLI::App& program, int& exit_code);
// Hidden: what `tilescope counters` runs under ncu.
void add_launch_once_command(CLI::App& program, int& exit_code);

// The whole program, as main calls it.
int run_program(int argc, const char* const* argv);

}  // namespace tl::cli
