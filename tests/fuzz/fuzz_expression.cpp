// Whatever is typed, an expression is computed or refused, and any text is read as a kernel's without harm.
#include "interp/debug/expression.h"
#include "interp/debug/source_model.h"
#include "interp/text/declared.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    tl::debug::evaluate(text, [](const std::string& name) -> std::optional<tl::debug::Operand> {
      if (name == "x") return tl::debug::Array{tl::DType::int32, false, {2, 3}, {{1}, {2}, {3}, {4}, {5}, {6}}};
      return std::nullopt;
    });
  } catch (const tl::Error&) {
  }
  tl::text::declared("kernel.h", text);
  const tl::debug::SourceModel model("kernel.h", text);
  for (int line = 1; line <= model.lines(); ++line) model.statement_of(model.op_token(tl::trace::Op::add, line, 3));
  return 0;
}
