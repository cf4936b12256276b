#include "interp/run/pictures.h"

#include <optional>

#include "interp/lang/error.h"

namespace tl::run {

namespace {

// Made at the first use: a part registers before main.
std::optional<Pictures>& registered() {
  static std::optional<Pictures> pictures;
  return pictures;
}

}  // namespace

PicturePart::PicturePart(const Pictures& pictures) { registered() = pictures; }

const Pictures& pictures() {
  if (!registered()) throw Error("this program was built without drawings", "build it with viz/");
  return *registered();
}

}  // namespace tl::run
