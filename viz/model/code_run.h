// A kernel as CUDA's toolkit compiled it: its instructions, and the resources of a program.
#pragma once

#include <string>
#include <vector>

namespace tl::viz {

struct Instruction {
  std::string text;
  int line = 0;   // of the kernel's text; 0: of another file
  int live = -1;  // 32-bit words of the values that this instruction or a later one reads; -1: unknown
};

struct CodeRun {
  std::string kernel, arch, settings;
  int registers = 0, spill_bytes = 0, shared_bytes = 0, threads = 0;
  std::vector<Instruction> ptx, sass;
  std::string no_sass;              // why there is none
  std::vector<std::string> source;  // the kernel's text, from line 1 on
};

}  // namespace tl::viz
