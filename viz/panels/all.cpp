#include "viz/panels/all.h"

#include <cctype>

#include "viz/panels/chip_view.h"
#include "viz/panels/console.h"
#include "viz/panels/picture_view.h"
#include "viz/panels/source.h"

namespace tl::viz {

std::vector<std::unique_ptr<View>> make_views() {
  std::vector<std::unique_ptr<View>> views;
  views.push_back(std::make_unique<SourceView>());
  views.push_back(std::make_unique<ConsoleView>());
  views.push_back(std::make_unique<ChipView>());
  for (const Panel& panel : panels()) {
    if (panel.name == "source") continue;  // the text to step through has its traffic beside it
    std::string name = panel.name;
    name.front() = static_cast<char>(std::toupper(name.front()));
    views.push_back(std::make_unique<PictureView>(name, panel));
  }
  return views;
}

}  // namespace tl::viz
