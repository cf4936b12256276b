#include "interp/cli/commands.h"

int main(int argc, char** argv) { return tl::cli::run_program(argc, argv); }
