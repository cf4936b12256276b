#include "interp/trace/event.h"

namespace tl::trace {

const char* text_of(Op op) {
  static constexpr const char* texts[] = {
#define TL_OP(name, text) text,
      TL_OPS(TL_OP)
#undef TL_OP
  };
  return op == Op::slice ? "x(_, None)" : texts[static_cast<int>(op)];  // as kernels spell Triton's x[:, None]
}

}  // namespace tl::trace
