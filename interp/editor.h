// A kernel's file may stand outside of any namespace and say ptr, None and 1_c: what clangd is told of that. No kernel
// includes it.
#pragma once

namespace tl {}
using namespace tl;
