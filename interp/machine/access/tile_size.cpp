#include "interp/machine/access/tile_size.h"

#include "interp/machine/access/shared_sectors.h"

namespace tl::machine {

namespace {

// For a copy, which goes row by row: a row that begins within a sector takes L2 several times as long as one that
// begins with it.
float copied_bytes(const Device& device, const Rows& rows, double unaligned, std::int64_t first_byte,
                   std::int64_t elem_bytes) {
  const std::int64_t sector = device.sector_bytes, width = rows.width * elem_bytes;
  double bytes = 0;
  for (const std::int64_t start : rows.starts) {
    const std::int64_t within = (first_byte + start * elem_bytes) % sector;
    bytes += static_cast<double>((width + sector - 1) / sector * sector) * (within == 0 ? 1 : unaligned);
  }
  return static_cast<float>(bytes);
}

float found_later(const Device& device, const Rows& rows, std::int64_t first_byte, std::int64_t elem_bytes,
                  std::int64_t width) {
  double found = 0;
  if (width > 0)
    for (const std::int64_t start : rows.starts)
      found += found_by_later_requests(device, first_byte + start * elem_bytes,
                                       first_byte + (start + rows.width) * elem_bytes, width);
  return static_cast<float>(found);
}

}  // namespace

TileSize size_of_tile(const Device& device, const Rows& rows, trace::Route route, std::int64_t first_elem,
                      std::int64_t elem_bytes, std::int64_t request_bytes) {
  const std::int64_t first_byte = first_elem * elem_bytes;
  TileSize size;
  for_each_block(rows, first_elem, elem_bytes, device.sector_bytes, [&](std::int64_t) { size.sectors += 1; });
  const auto copied = [&](double unaligned) { return copied_bytes(device, rows, unaligned, first_byte, elem_bytes); };
  switch (route) {
    case trace::Route::registers: size.served_bytes = size.sectors * static_cast<float>(device.sector_bytes); break;
    case trace::Route::staged: size.served_bytes = copied(device.unaligned_copy); break;
    case trace::Route::descriptor: size.served_bytes = copied(device.unaligned_box); break;
  }
  size.found_later = found_later(device, rows, first_byte, elem_bytes, request_bytes);
  return size;
}

}  // namespace tl::machine
