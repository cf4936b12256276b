// PNG where Cairo was not there at build time: says so.
#include "interp/lang/error.h"
#include "viz/export/export.h"

namespace tl::viz {

bool has_png() { return false; }
std::string png(const Drawing&, const Theme&, float) {
  throw Error("this program was built without Cairo and writes no PNG",
              "write .svg or .html, or install libcairo2-dev and build again");
}

}  // namespace tl::viz
