"""Kernels that the tests share, as texts."""

HEAD = '#include "interp/tl.h"\n'

RELU = HEAD + """
struct relu_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, int_ auto n, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    auto y = tl.maximum(x, 0);
    tl.store(y_ptr + offs, y, {.mask = mask});
  }
};
"""

UNMASKED = HEAD + """
struct unmasked_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    tl.store(y_ptr + offs, tl.load(x_ptr + offs));
  }
};
"""

# Rows of any stride, and a number that is no int.
SCALE = HEAD + """
struct scale_kernel {
  void operator()(auto& tl, ptr auto x, ptr auto y, int_ auto x_stride, int_ auto y_stride, int_ auto cols,
                  float_ auto factor, constexpr_ auto TWICE, constexpr_ auto BLOCK) const {
    auto cols_of = tl.arange(0, BLOCK);
    auto mask = cols_of < cols;
    auto row = tl.load(x + tl.program_id(0) * x_stride + cols_of, {.mask = mask}) * factor;
    auto out = tl.static_if(TWICE, [&] { return row * 2; }, [&] { return row; });
    tl.store(y + tl.program_id(0) * y_stride + cols_of, out, {.mask = mask});
  }
};
"""

# A constant that is a dtype, and one that is a text.
THIRDS = HEAD + """
struct thirds_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto y_ptr, constexpr_ auto ACC, constexpr_ auto MODE) const {
    auto offs = tl.arange(0, 8_c);
    auto x = tl.load(x_ptr + offs) / 3;
    if (MODE == "int8") x = -x;
    tl.store(y_ptr + offs, x.to(ACC));
  }
};
"""

COPY_TILES = HEAD + """
struct copy_tiles_kernel {
  void operator()(auto& tl, descriptor auto x_desc, descriptor auto y_desc, constexpr_ auto BM,
                  constexpr_ auto BN) const {
    auto m = tl.program_id(0) * BM, n = tl.program_id(1) * BN;
    y_desc.store({m, n}, x_desc.load({m, n}));
  }
};
"""

ENDLESS = HEAD + """
struct endless_kernel {
  void operator()(auto& tl, ptr auto x) const {
    auto i = tl.load(x);
    while (true) i = i + 1;
  }
};
"""
