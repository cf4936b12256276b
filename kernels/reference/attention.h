// Attention of one query in double, with the whole row of scores at hand.  o = softmax(scale q k^T) v
#pragma once

#include <cstdint>
#include <vector>

namespace tl::reference {

struct Attention {
  std::vector<double> o;  // head_dim
  double log2_sum = 0;    // log2 of sum over keys of 2^(scale q k / ln 2) = of e^(scale q k)
};
// q: head_dim floats; k, v: `keys` rows of head_dim floats, those the query may see.
Attention attention(const float* q, const float* k, const float* v, std::int64_t keys, std::int64_t head_dim,
                    double scale);

// One head's inputs of the backward pass: rows of head_dim floats; m: log2_sum of each query.
struct AttentionHead {
  const float *q, *k, *v, *o, *d_o, *m;
  std::int64_t seq, head_dim;
  double scale;
  bool causal;
};
struct AttentionBackward {
  double delta = 0;                // o do of the query `row`
  std::vector<double> dq, dk, dv;  // of the query and of the key `row`
};
AttentionBackward attention_backward(const AttentionHead& head, std::int64_t row);

}  // namespace tl::reference
