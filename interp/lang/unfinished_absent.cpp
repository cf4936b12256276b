// In a page, whose files live in memory: what is unfinished goes with the page.
#include "interp/lang/unfinished.h"

#include "interp/lang/error.h"

namespace tl {

Unfinished::Unfinished(const std::filesystem::path& folder) {
  throw Error("a page writes no files, and " + folder.string() + " is none of its folders");
}
Unfinished::~Unfinished() = default;

void remove_unfinished() {}
void remove_entry(int, const char*) {}

TemporaryFolder::TemporaryFolder() : entry_("/tmp") {}

}  // namespace tl
