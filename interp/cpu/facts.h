// What a kernel does, found by running one program of it for addresses along every path that its branches allow.
#pragma once

#include "interp/lang/launch.h"
#include "interp/rules/kernel_facts.h"

namespace tl::cpu {

// Needs no tensor data, writes none, and never throws because of the kernel: what cannot be followed makes the facts
// say less.
rules::KernelFacts facts_of(const Launch& launch);

}  // namespace tl::cpu
