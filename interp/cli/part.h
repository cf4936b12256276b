// A part of the program that was built on its own, the lessons or the window: its commands join the program's where it
// is linked in.
#pragma once

#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace tl::cli {

// One at namespace scope, in a source of the executable itself, target_sources(tilescope PRIVATE ...): from an archive
// the linker would leave it out. Nothing of the program names it, so that no arrow runs from here to the part.
class Part {
 public:
  using Add = void (*)(CLI::App& program, int& exit_code);
  // `example` and `meaning`: its line when tilescope is run alone. `rank` orders those lines; the first ones are what a
  // newcomer tries.
  Part(int rank, std::string_view example, std::string_view meaning, Add add);

  int rank;
  std::string_view example, meaning;
  Add add;
};

const std::vector<Part>& parts();  // by rank

}  // namespace tl::cli
