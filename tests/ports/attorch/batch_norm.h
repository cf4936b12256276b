// Batch normalization over batch and space, a feature a program: mean and variance by blocks as Welford has them, the
// running ones kept; and the backward pass.
// After attorch/batch_norm_kernels.py of BobMcDear/attorch at 11d9ff5ec388.
#pragma once
#include "interp/tl.h"

namespace tl::ports {

// case batch_norm_forward_kernel: n=5 feats=6 space=77 x=f16[n,feats,space]:normal weight=f32[feats] bias=f32[feats]
// case batch_norm_forward_kernel: mean=out:f32[feats] inv_std=out:f32[feats] y=out:f16[n,feats,space]
// case batch_norm_forward_kernel: running_mean=inout:f32[feats] running_var=inout:f32[feats]:uniform(0.5,1.5)
// case batch_norm_forward_kernel: batch_dim=n spatial_dim=space stride_b=feats*space stride_f=space momentum=0.1
// case batch_norm_forward_kernel: eps=1e-5 TRAINS=true BB=8 BS=32 grid=feats tolerance=2e-3
// case batch_norm_forward_kernel: expect=batch_norm_forward_loop
struct batch_norm_forward_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto weight_ptr, ptr auto bias_ptr, ptr auto mean_ptr,
                  ptr auto inv_std_ptr, ptr auto y_ptr, ptr auto running_mean_ptr, ptr auto running_var_ptr,
                  int_ auto batch_dim, int_ auto spatial_dim, int_ auto stride_b, int_ auto stride_f,
                  float_ auto momentum, float_ auto eps, constexpr_ auto TRAINS, constexpr_ auto BB,
                  constexpr_ auto BS) const {
    auto feat = tl.program_id(0);
    auto batch = tl.arange(0, BB);
    auto mean = tl.scalar(0, tl.float32);
    auto inv_std = tl.scalar(0, tl.float32);
    auto first = stride_f * feat + stride_b * batch(_, None);
    if (TRAINS) {
      auto count = tl.scalar(0, tl.int32);
      auto var = tl.scalar(0, tl.float32);
      for (auto start : tl.range(0, spatial_dim, BS)) {
        auto space = start + tl.arange(0, BS);
        auto mask = (batch < batch_dim)(_, None) & (space < spatial_dim)(None, _);
        auto x = tl.load(x_ptr + first + space(None, _), {.mask = mask, .other = 0}).to(tl.float32);
        auto added = tl.minimum(BS, spatial_dim - start) * batch_dim;
        count += added;
        auto before = mean + 0;
        mean += (tl.sum(x) - added * mean) / count;
        var += tl.sum(tl.where(mask, (x - mean) * (x - before), 0.0));
      }
      var /= count;
      inv_std = 1 / tl.sqrt(var + eps);
      tl.store(mean_ptr + feat, mean);
      tl.store(inv_std_ptr + feat, inv_std);
      if (!tl.is_none(running_mean_ptr)) {
        auto running_mean = tl.load(running_mean_ptr + feat);
        auto running_var = tl.load(running_var_ptr + feat);
        tl.store(running_mean_ptr + feat, (1 - momentum) * running_mean + momentum * mean);
        tl.store(running_var_ptr + feat, (1 - momentum) * running_var + momentum * var * count / (count - 1));
      }
    } else {
      mean = tl.load(running_mean_ptr + feat);
      inv_std = 1 / tl.sqrt(tl.load(running_var_ptr + feat) + eps);
    }
    auto weight = tl.scalar(1, tl.float32);
    auto bias = tl.scalar(0, tl.float32);
    if (!tl.is_none(weight_ptr)) {
      weight = tl.load(weight_ptr + feat);
      bias = tl.load(bias_ptr + feat);
    }
    for (auto start : tl.range(0, spatial_dim, BS)) {
      auto space = start + tl.arange(0, BS);
      auto mask = (batch < batch_dim)(_, None) & (space < spatial_dim)(None, _);
      auto x = tl.load(x_ptr + first + space(None, _), {.mask = mask, .other = 0}).to(tl.float32);
      auto y = weight * (x - mean) * inv_std + bias;
      tl.store(y_ptr + first + space(None, _), y.to(y_ptr.dtype), {.mask = mask});
    }
  }
};

void batch_norm_forward_loop(auto& args) {
  auto x = args["x"], y = args["y"], mean = args["mean"], inv_std = args["inv_std"];
  auto running_mean = args["running_mean"], running_var = args["running_var"];
  const double count = x.size(0) * x.size(2), momentum = args("momentum");
  for (int f = 0; f < x.size(1); ++f) {
    double sum = 0, var = 0;
    for (int i = 0; i < x.size(0); ++i)
      for (int s = 0; s < x.size(2); ++s) sum += x(i, f, s);
    mean(f) = sum / count;
    for (int i = 0; i < x.size(0); ++i)
      for (int s = 0; s < x.size(2); ++s) var += (x(i, f, s) - mean(f)) * (x(i, f, s) - mean(f)) / count;
    inv_std(f) = 1 / sqrt(var + args("eps"));
    running_mean(f) = (1 - momentum) * running_mean(f) + momentum * mean(f);
    running_var(f) = (1 - momentum) * running_var(f) + momentum * var * count / (count - 1);
    for (int i = 0; i < x.size(0); ++i)
      for (int s = 0; s < x.size(2); ++s)
        y(i, f, s) = args["weight"](f) * (x(i, f, s) - mean(f)) * inv_std(f) + args["bias"](f);
  }
}

// case batch_norm_backward_kernel: n=5 feats=6 space=77 dy=f16[n,feats,space]:normal x=f16[n,feats,space]:normal
// case batch_norm_backward_kernel: mean=f32[feats]:uniform(-0.1,0.1) inv_std=f32[feats]:uniform(0.9,1.1)
// case batch_norm_backward_kernel: weight=f32[feats] dx=out:f16[n,feats,space] dweight=out:f32[feats]
// case batch_norm_backward_kernel: dbias=out:f32[feats] batch_dim=n spatial_dim=space stride_b=feats*space
// case batch_norm_backward_kernel: stride_f=space BB=8 BS=32 grid=feats tolerance=2e-3
// case batch_norm_backward_kernel: expect=batch_norm_backward_loop
struct batch_norm_backward_kernel {
  void operator()(auto& tl, ptr auto dy_ptr, ptr auto x_ptr, ptr auto mean_ptr, ptr auto inv_std_ptr,
                  ptr auto weight_ptr, ptr auto dx_ptr, ptr auto dweight_ptr, ptr auto dbias_ptr, int_ auto batch_dim,
                  int_ auto spatial_dim, int_ auto stride_b, int_ auto stride_f, constexpr_ auto BB,
                  constexpr_ auto BS) const {
    auto feat = tl.program_id(0);
    auto batch = tl.arange(0, BB);
    auto mean = tl.load(mean_ptr + feat);
    auto inv_std = tl.load(inv_std_ptr + feat);
    auto weight = tl.load(weight_ptr + feat);
    auto first = stride_f * feat + stride_b * batch(_, None);
    auto term1 = tl.scalar(0, tl.float32);
    auto term2 = tl.scalar(0, tl.float32);
    for (auto start : tl.range(0, spatial_dim, BS)) {
      auto space = start + tl.arange(0, BS);
      auto mask = (batch < batch_dim)(_, None) & (space < spatial_dim)(None, _);
      auto xhat = (tl.load(x_ptr + first + space(None, _), {.mask = mask, .other = 0}).to(tl.float32) - mean) * inv_std;
      auto dy = tl.load(dy_ptr + first + space(None, _), {.mask = mask, .other = 0}).to(tl.float32);
      term1 += tl.sum(xhat * dy);
      term2 += tl.sum(dy);
    }
    tl.store(dweight_ptr + feat, term1);
    tl.store(dbias_ptr + feat, term2);
    auto scale = weight / (batch_dim * spatial_dim);
    for (auto start : tl.range(0, spatial_dim, BS)) {
      auto space = start + tl.arange(0, BS);
      auto mask = (batch < batch_dim)(_, None) & (space < spatial_dim)(None, _);
      auto xhat = (tl.load(x_ptr + first + space(None, _), {.mask = mask, .other = 0}).to(tl.float32) - mean) * inv_std;
      auto dy = tl.load(dy_ptr + first + space(None, _), {.mask = mask, .other = 0}).to(tl.float32);
      auto dx = inv_std * (weight * dy - (term1 * scale * xhat + term2 * scale));
      tl.store(dx_ptr + first + space(None, _), dx.to(dx_ptr.dtype), {.mask = mask});
    }
  }
};

void batch_norm_backward_loop(auto& args) {
  auto x = args["x"], dy = args["dy"], dx = args["dx"], dweight = args["dweight"], dbias = args["dbias"];
  const double count = x.size(0) * x.size(2);
  for (int f = 0; f < x.size(1); ++f) {
    const double mean = args["mean"](f), inv_std = args["inv_std"](f), weight = args["weight"](f);
    dweight(f) = dbias(f) = 0;
    for (int i = 0; i < x.size(0); ++i)
      for (int s = 0; s < x.size(2); ++s) {
        dweight(f) += (x(i, f, s) - mean) * inv_std * dy(i, f, s);
        dbias(f) += dy(i, f, s);
      }
    for (int i = 0; i < x.size(0); ++i)
      for (int s = 0; s < x.size(2); ++s)
        dx(i, f, s) =
            inv_std * weight * (dy(i, f, s) - (dweight(f) * (x(i, f, s) - mean) * inv_std + dbias(f)) / count);
  }
}

}  // namespace tl::ports
