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

}  // namespace tl::reference
