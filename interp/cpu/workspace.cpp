#include "interp/cpu/workspace.h"

#include <algorithm>

namespace tl::cpu {

Block block_of(Context& tl, DType dtype, DType from, std::span<const std::int64_t> shape, const void* lanes,
               const unsigned char* undefined) {
  State& s = tl.state();
  const auto filled = [&](DType d, const void* from_lanes) {
    Ref r = make_dense(s, d, static_cast<int>(shape.size()), shape.data());
    if (r->count > 0)
      std::memcpy(r->buffer->bytes(), from_lanes, static_cast<std::size_t>(r->count * size_in_bytes(d)));
    return r;
  };
  Ref r = settle(cast({s, Op::cast, {}}, *filled(from, lanes), dtype));
  if (undefined) r->undefined = filled(DType::int1, undefined).release();
  return Block(r.release());
}

Block lanes_as(const Block& x, DType to) {
  Ref r = cast({state_of(x), Op::cast, {}}, value_of(x), to);
  if (r->form == Form::dense && is_contiguous(*r)) return Block(r.release());
  Ref dense = make_dense(state_of(x), to, r->rank, r->dims);
  std::memcpy(dense->buffer->bytes(), flat(*r), static_cast<std::size_t>(r->count * size_in_bytes(to)));
  if (r->undefined) dense->undefined = Ref::share(r->undefined).release();
  return Block(dense.release());
}

namespace {

Ref part(const Value& whole, std::span<const AxisPart> axes) {
  Ref d = Ref::share(&whole);
  if (d->form != Form::dense && d->form != Form::affine) {
    d = make_dense(*whole.state, whole.dtype, whole.rank, whole.dims);
    std::memcpy(d->buffer->bytes(), flat(whole), static_cast<std::size_t>(whole.count * size_in_bytes(whole.dtype)));
  }
  std::int64_t dims[max_rank];
  for (int i = 0; i < d->rank; ++i) dims[i] = axes[static_cast<std::size_t>(i)].count;
  Ref r = same_lanes(*d, d->rank, dims);
  for (int i = 0; i < d->rank; ++i) {
    const AxisPart& axis = axes[static_cast<std::size_t>(i)];
    r->base += axis.first * d->strides[i];
    r->strides[i] = d->strides[i] * axis.step;
  }
  if (whole.undefined) r->undefined = part(*whole.undefined, axes).release();
  return settle(std::move(r));
}

}  // namespace

Block part_of(const Block& x, std::span<const AxisPart> axes) { return Block(part(value_of(x), axes).release()); }

}  // namespace tl::cpu
