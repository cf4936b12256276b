// Convolution of images, as a product: rows are batch, height and width, and padding is a mask.
// After attorch/conv_kernels.py of BobMcDear/attorch at a8eae27a6443.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case: batch=2 cin=6 h=9 w=7 cout=10 kh=3 kw=2 sh=2 sw=1 ph=1 pw=1 groups=2 oh=5 ow=8
// case: x=f16[batch,cin,h,w] weight=f16[cout,cin/groups,kh,kw] y=out:f32[batch,cout,oh,ow] n_batch=batch n_in=cin
// case: in_h=h in_w=w n_out=cout out_h=oh out_w=ow x_stride_b=cin*h*w x_stride_c=h*w x_stride_h=w x_stride_w=1
// case: w_stride_o=cin/groups*kh*kw w_stride_c=kh*kw w_stride_h=kw w_stride_w=1 y_stride_b=cout*oh*ow y_stride_c=oh*ow
// case: y_stride_h=ow y_stride_w=1 KH=kh KW=kw SH=sh SW=sw PH=ph PW=pw GROUPS=groups BM=32 BK=16 BN=16
// case: grid=(cdiv(batch*oh*ow,BM),cdiv(cout/groups,BN),groups) tolerance=1e-4 expect=conv2d_loop
struct conv2d_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto weight_ptr, ptr auto y_ptr, int_ auto n_batch, int_ auto n_in,
                  int_ auto in_h, int_ auto in_w, int_ auto n_out, int_ auto out_h, int_ auto out_w,
                  int_ auto x_stride_b, int_ auto x_stride_c, int_ auto x_stride_h, int_ auto x_stride_w,
                  int_ auto w_stride_o, int_ auto w_stride_c, int_ auto w_stride_h, int_ auto w_stride_w,
                  int_ auto y_stride_b, int_ auto y_stride_c, int_ auto y_stride_h, int_ auto y_stride_w,
                  constexpr_ auto KH, constexpr_ auto KW, constexpr_ auto SH, constexpr_ auto SW, constexpr_ auto PH,
                  constexpr_ auto PW, constexpr_ auto GROUPS, constexpr_ auto BM, constexpr_ auto BK,
                  constexpr_ auto BN) const {
    auto group = tl.program_id(2);
    auto in_group = n_in / GROUPS;
    auto out_group = n_out / GROUPS;
    auto place = tl.program_id(0) * BM + tl.arange(0, BM);  // of batch, height and width
    auto y_w = place % out_w;
    auto y_h = place / out_w % out_h;
    auto batch = place / out_w / out_h;
    auto feat = tl.program_id(1) * BN + tl.arange(0, BN);
    auto x_first = x_ptr + (x_stride_b * batch + x_stride_c * group * in_group)(_, None);
    auto w_first = weight_ptr + (w_stride_o * (feat + group * out_group))(None, _);

    auto acc = tl.zeros(tl.shape(BM, BN), tl.float32);
    for (auto h : tl.range(0, KH))
      for (auto w : tl.range(0, KW))
        for (auto c : tl.range(0, in_group, BK)) {
          auto x_c = c + tl.arange(0, BK);
          auto x_h = h - PH + SH * y_h;
          auto x_w = w - PW + SW * y_w;
          auto is_inside = (batch < n_batch) & (0 <= x_h) & (x_h < in_h) & (0 <= x_w) & (x_w < in_w);
          auto x = tl.load(x_first + (x_stride_c * x_c)(None, _) + (x_stride_h * x_h + x_stride_w * x_w)(_, None),
                           {.mask = is_inside(_, None) & (x_c < in_group)(None, _), .other = 0});
          auto weight = tl.load(w_first + (w_stride_c * x_c)(_, None) + w_stride_h * h + w_stride_w * w,
                                {.mask = (x_c < in_group)(_, None) & (feat < out_group)(None, _), .other = 0});
          acc = tl.dot(x, weight, acc);
        }
    auto y_ptrs = y_ptr + (y_stride_b * batch + y_stride_h * y_h + y_stride_w * y_w)(_, None) +
                  (y_stride_c * (group * out_group + feat))(None, _);
    tl.store(y_ptrs, acc.to(y_ptr.dtype), {.mask = (batch < n_batch)(_, None) & (feat < out_group)(None, _)});
  }
};

void conv2d_loop(auto& args) {
  auto x = args["x"], weight = args["weight"], y = args["y"];
  const int groups = args("groups"), in_group = weight.size(1), out_group = weight.size(0) / groups;
  for (int b = 0; b < y.size(0); ++b)
    for (int o = 0; o < y.size(1); ++o)
      for (int i = 0; i < y.size(2); ++i)
        for (int j = 0; j < y.size(3); ++j) {
          y(b, o, i, j) = 0;
          for (int c = 0; c < in_group; ++c)
            for (int h = 0; h < weight.size(2); ++h)
              for (int w = 0; w < weight.size(3); ++w) {
                const int row = i * args("sh") + h - args("ph"), col = j * args("sw") + w - args("pw");
                if (row >= 0 && row < x.size(2) && col >= 0 && col < x.size(3))
                  y(b, o, i, j) += x(b, o / out_group * in_group + c, row, col) * weight(o, c, h, w);
              }
        }
}

}  // namespace tl::ports
