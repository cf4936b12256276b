// The peers' functions, declared once for the caller and once for each instruction set.

// z = x
void copy(const std::int32_t* x, std::int32_t* z, std::int64_t n, int threads);
// z = x + y
void add(const float* x, const float* y, float* z, std::int64_t n, int threads);
// The sum of x.
float sum(const float* x, std::int64_t n, int threads);
// y[n, m] = x[m, n] transposed
void transpose(const float* x, float* y, std::int64_t m, std::int64_t n, int threads);
// x: three planes of `pixels`
void grey(const std::uint8_t* x, std::uint8_t* out, std::int64_t pixels, int threads);
// keep may be null
void dropout(const float* x, std::uint8_t* keep, float* output, std::int64_t n, float p, std::uint64_t seed,
             int threads);
// Softmax of each row, and the same in five passes over memory.
void softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols, int threads);
void unfused_softmax(const float* x, float* scratch, float* y, std::int64_t rows, std::int64_t cols, int threads);
// x, w, b, y of one dtype: f32, f16 or bf16
void layernorm(DType dtype, const void* x, const void* w, const void* b, void* y, std::int64_t rows, std::int64_t cols,
               float eps, int threads);
// c[m, n] = a[m, k] b; b is k x n, or n x k when b_is_nk. All of one dtype: f32, f16 or bf16 (multiplied as f32).
void matmul(DType dtype, const void* a, const void* b, bool b_is_nk, void* c, std::int64_t m, std::int64_t n,
            std::int64_t k, int threads);
// Tensors [heads, seq, head_dim] of one dtype: f32, f16 or bf16 (computed as f32).
void attention(DType dtype, const void* q, const void* k, const void* v, void* o, std::int64_t heads, std::int64_t seq,
               std::int64_t head_dim, float scale, bool causal, int threads);
