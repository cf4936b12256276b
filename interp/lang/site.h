// Where in a kernel's text an op stands.
#pragma once

namespace tl {

struct Site {
  const char* file = "";
  int line = 0;
  int column = 0;
};

}  // namespace tl
