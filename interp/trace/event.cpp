#include "interp/trace/event.h"

namespace tl::trace {

const char* text_of(Op op) {
  static constexpr const char* texts[] = {
#define TL_OP(name, text) text,
      TL_OPS(TL_OP)
#undef TL_OP
  };
  return texts[static_cast<int>(op)];
}

}  // namespace tl::trace
