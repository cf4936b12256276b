// Packs by zlib.
#include <zlib.h>

#include "interp/lang/error.h"
#include "viz/export/page_data.h"

namespace tl::viz {

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_COMPRESSION) != Z_OK)
    throw Error("there is no memory to pack the page's data", "export fewer steps");
  packed.resize(size);
  return packed;
}

}  // namespace tl::viz
