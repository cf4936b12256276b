# Tiles for whoever comes: a counter gives each program its next one.
# case: n=1024 BLOCK=64 TILES=n/BLOCK x=f32[n] count=inout:i32[1]:zeros y=out:f32[n] grid=5 expect='y = x * 2'
@triton.jit
def tickets(x_ptr, count_ptr, y_ptr, TILES, BLOCK: tl.constexpr):
    tile = tl.atomic_add(count_ptr, 1)
    while tile < TILES:
        offs = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + offs, tl.load(x_ptr + offs) * 2)
        tile = tl.atomic_add(count_ptr, 1)
