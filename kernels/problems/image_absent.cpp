// In a page, which has no library for pictures.
#include "interp/lang/error.h"
#include "kernels/problems/image.h"

namespace tl::problems {

Tensor read_image(const std::string& path) {
  throw Error("the page reads no pictures, and \"" + path + "\" is one",
              "give a .npy file, or use the program: tilescope run");
}

}  // namespace tl::problems
