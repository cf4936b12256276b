// One kernel that compiles, and behind macros the lines that must be refused: what CUDA, where they are types, would
// refuse too.
#include "interp/tl.h"

namespace tl::kernels {

struct refused_kernel {
  void operator()(auto& tl, ptr auto p, int_ auto n, constexpr_ auto BLOCK) const {
    auto x = tl.load(p + tl.arange(0, BLOCK), {.mask = tl.arange(0, BLOCK) < n});
    [[maybe_unused]] int size = 64;
#ifdef REFUSE_int_size
    tl.arange(0, size);
#endif
#ifdef REFUSE_literal_size
    tl.zeros(tl.shape(64), tl.float32);
#endif
#ifdef REFUSE_block_size
    tl.arange(0, n);
#endif
#ifdef REFUSE_chosen_size
    tl.arange(0, n > 3 ? BLOCK : 32_c);
#endif
#ifdef REFUSE_chosen_parameter
    tl.arange(0, true ? BLOCK * 2_c : BLOCK);
#endif
#ifdef REFUSE_int_axis
    tl.sum(x, 1);
#endif
#ifdef REFUSE_dtype_ternary
    x.to(BLOCK > 4_c ? tl.float32 : tl.float16);
#endif
#ifdef REFUSE_mixed_dtype_ternary
    x.to(BLOCK > 4_c ? p.dtype : tl.float16);
#endif
    tl.store(p, tl.sum(x, 0));
  }
};

void instantiate(cpu::Context& tl, Pointer p, Block n,
                 cpu::ConstantOf<cpu::Expression<cpu::made_by::Parameter<2>>> block) {
  refused_kernel{}(tl, p, n, block);
}

}  // namespace tl::kernels
