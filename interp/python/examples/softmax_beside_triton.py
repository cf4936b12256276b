"""Softmax written twice, for Triton and in tl, on the same tensors. Needs a CUDA GPU, torch and triton."""

import torch
import triton
import triton.language as tl

import tilescope


@triton.jit
def triton_softmax(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr):
    for row_idx in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float("inf"))
        numerator = tl.exp(row - tl.max(row, axis=0))
        denominator = tl.sum(numerator, axis=0)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, numerator / denominator, mask=mask)


tilescope_softmax = tilescope.kernel(r"""
#include "interp/tl.h"

struct softmax_kernel {
  void operator()(auto& tl, ptr auto output_ptr, ptr auto input_ptr, int_ auto input_row_stride,
                  int_ auto output_row_stride, int_ auto n_rows, int_ auto n_cols, constexpr_ auto BLOCK_SIZE) const {
    for (auto row_idx : tl.range(tl.program_id(0), n_rows, tl.num_programs(0))) {
      auto col_offsets = tl.arange(0, BLOCK_SIZE);
      auto mask = col_offsets < n_cols;
      auto row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, {.mask = mask, .other = -tl.inf});
      auto numerator = tl.exp(row - tl.max(row, 0));
      auto denominator = tl.sum(numerator, 0);
      tl.store(output_ptr + row_idx * output_row_stride + col_offsets, numerator / denominator, {.mask = mask});
    }
  }
};
""")

x = torch.randn(1823, 781, device="cuda")
by_triton, by_tilescope, on_the_cpu = torch.empty_like(x), torch.empty_like(x), torch.empty(x.shape)
grid, sizes = (132,), dict(BLOCK_SIZE=triton.next_power_of_2(x.shape[1]), num_warps=8)

triton_softmax[grid](by_triton, x, x.stride(0), by_triton.stride(0), *x.shape, **sizes)
tilescope_softmax[grid](by_tilescope, x, x.stride(0), by_tilescope.stride(0), *x.shape, **sizes)
tilescope_softmax[grid](on_the_cpu, x.cpu(), x.stride(0), on_the_cpu.stride(0), *x.shape, **sizes)  # the interpreter

torch.testing.assert_close(by_tilescope, by_triton)
torch.testing.assert_close(on_the_cpu, by_triton.cpu())
torch.testing.assert_close(by_triton, torch.softmax(x, 1))
for name, kernel, out in ("triton", triton_softmax, by_triton), ("tilescope", tilescope_softmax, by_tilescope):
    ms = triton.testing.do_bench_cudagraph(lambda: kernel[grid](out, x, x.stride(0), out.stride(0), *x.shape, **sizes))
    print(f"{name:10} {ms:.4f} ms")
