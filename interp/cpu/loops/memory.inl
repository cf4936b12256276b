// Rows of tiles into and out of tensors, what fills their masked lanes; transposition. Included by
// interp/cpu/loops.inl, within its namespace.

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
typedef unsigned char Register __attribute__((vector_size(register_bytes), aligned(1), may_alias));
inline void copy_register(char* to, const char* from) {
  *reinterpret_cast<Register*>(to) = *reinterpret_cast<const Register*>(from);
}

// Long runs fetch ahead what the next program's block will want, of the side that is the tensor: hardware prefetchers
// stop at the page.
template <bool FromTensor>
inline void copy_long(char* to, const char* from, i64 lines) {
  const i64 ahead = lines * 64;
  for (i64 i = 0; i < ahead; i += 64) {
    if constexpr (FromTensor) __builtin_prefetch(from + i + ahead, 0);
    else __builtin_prefetch(to + i + ahead, 1);
    for (i64 j = 0; j < 64; j += register_bytes) copy_register(to + i + j, from + i + j);
  }
}

template <bool FromTensor>
void copy_rows(void* to_, i64 to_row, const void* from_, i64 from_row, i64 bytes, i64 rows) {
  char* to = static_cast<char*>(to_);
  const char* from = static_cast<const char*>(from_);
  if (bytes == 64) {  // a tile of 16 floats a row
    for (; rows > 0; --rows, to += to_row, from += from_row)
      for (i64 j = 0; j < 64; j += register_bytes) copy_register(to + j, from + j);
    return;
  }
  const i64 lines = bytes / 64, rest = bytes % 64;
  for (i64 r = 0; r < rows; ++r, to += to_row, from += from_row) {
    if (bytes >= 2048) copy_long<FromTensor>(to, from, lines);
    else
      for (i64 i = 0; i < lines * 64; i += register_bytes) copy_register(to + i, from + i);
    if (rest) __builtin_memcpy(to + lines * 64, from + lines * 64, static_cast<unsigned long>(rest));
  }
}

template <class T>
void fill_loop(void* out_, const void* element, i64 n) {
  T* out = static_cast<T*>(out_);
  const T value = *static_cast<const T*>(element);
  for (i64 i = 0; i < n; ++i) out[i] = value;
}
FillLoop find_fill(int bytes) {
  return bytes == 1   ? fill_loop<u8>
         : bytes == 2 ? fill_loop<u16>
         : bytes == 4 ? fill_loop<u32>
                      : fill_loop<std::uint64_t>;
}

void transpose32(u32* __restrict out, const u32* in, i64 in_stride, i64 rows, i64 cols) {
  constexpr i64 tile = 8;
  if (rows % tile || cols % tile) {
    for (i64 i = 0; i < rows; ++i)
      for (i64 j = 0; j < cols; ++j) out[j * rows + i] = in[i * in_stride + j];
    return;
  }
  for (i64 i = 0; i < rows; i += tile)
    for (i64 j = 0; j < cols; j += tile) {
      u32 t[tile][tile];
      for (i64 r = 0; r < tile; ++r)
        for (i64 c = 0; c < tile; ++c) t[c][r] = in[(i + r) * in_stride + j + c];
      for (i64 c = 0; c < tile; ++c)
        for (i64 r = 0; r < tile; ++r) out[(j + c) * rows + i + r] = t[c][r];
    }
}
