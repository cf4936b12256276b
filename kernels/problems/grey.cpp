// A picture in, a grey picture out.
#include "kernels/grey.h"

#include "kernels/peers/peers.h"
#include "kernels/problems/build.h"
#include "kernels/problems/image.h"

namespace tl::problems {
namespace {

// 0.2989 r + 0.5870 g + 0.1140 b in integers, so that its fraction is known exactly. Where there is one it is 1 / 10000
// or more away from the next integer, and f32 (off by at most 255 * 2^-22) cuts it off as the reference does; an exact
// integer may come out one lower: it expects the middle.
double grey_of(double r, double g, double b) {
  const std::int64_t sum = static_cast<std::int64_t>(2989 * r + 5870 * g + 1140 * b);
  return sum != 0 && sum % 10000 == 0 ? static_cast<double>(sum / 10000) - 0.5 : static_cast<double>(sum / 10000);
}

Instance make_grey(const Settings& s, std::uint64_t) {
  const std::int64_t block_h = s.integer("block_h"), block_w = s.integer("block_w");
  const std::string image = s.text("image"), out_path = s.text("out");
  if (!out_path.empty()) check_image_name(out_path, image);
  const Tensor x = image.empty() ? made_image(s.integer("h"), s.integer("w")) : read_image(image);
  const std::int64_t h = x.shape[1], w = x.shape[2];
  const Tensor out = make_tensor("out", DType::uint8, {h, w});
  Instance instance;
  instance.inputs = {x};
  instance.outputs = {out};
  instance.launches = {make_launch<kernels::grey_kernel>("kernels/grey.h", {cdiv(h, block_h), cdiv(w, block_w)}, {},
                                                         TensorArgument{x}, TensorArgument{out}, integer(h), integer(w),
                                                         constant(block_h), constant(block_w))};
  instance.tolerances = {{0.5, 0}};
  instance.reference_at = reference_by_element(
      [=](std::int64_t i) { return grey_of(get(x, i), get(x, h * w + i), get(x, 2 * h * w + i)); });
  if (!out_path.empty())
    instance.finish = [=] {
      write_grey_image(out, out_path);
      return "wrote " + out_path + ", " + std::to_string(w) + " x " + std::to_string(h);
    };
  instance.flops = 5 * static_cast<double>(h * w);
  instance.bytes = 4 * static_cast<double>(h * w);
  instance.cpu_peer = {"plain loop", [=, peer_out = clone(out)](int threads) {
                         peers::grey(x.as<std::uint8_t>(), peer_out.as<std::uint8_t>(), h * w, threads);
                       }};
  instance.cuda_peer = {.kind = CudaPeer::Kind::copy, .bytes = instance.bytes};
  return complete(std::move(instance));
}

}  // namespace

Problem grey() {
  return tuned(
      {"grey",
       "turns a picture grey",
       "kernels/grey.h",
       {{"image", "", Setting::Kind::text,
         "path of a PNG or JPEG, its pixels as the file has them (a phone may note a rotation beside them); without "
         "one, a landscape of our own"},
        {"h", "150", Setting::Kind::integer, "rows of that landscape", 1, 1 << 14},
        {"w", "225", Setting::Kind::integer, "columns of it", 1, 1 << 14},
        {"out", "", Setting::Kind::text,
         "path of the grey picture to write (.png or .jpg); without one, none is written"},
        {"block_h", "32", Setting::Kind::integer, "rows a program; a power of two", 1, 1024, true},
        {"block_w", "32", Setting::Kind::integer, "columns a program; a power of two", 1, 1024, true}},
       make_grey},
      tuned_by("block_h=1,4,16,32 block_w=32,64,256 warps=4,8"));
}

}  // namespace tl::problems
