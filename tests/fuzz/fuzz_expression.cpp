// Whatever is typed, an expression is parsed or refused, and any text is read as a kernel's without harm.
#include "interp/debug/calculator.h"
#include "interp/debug/source_model.h"
#include "interp/debug/syntax.h"
#include "interp/text/declared.h"

namespace tl::debug {
bool is_function(std::string_view name) { return name.size() > 1; }
bool is_method(std::string_view name) { return name == "to"; }
bool is_attribute(std::string_view name) { return name == "T"; }
std::vector<std::string> function_names() { return {"sum", "exp"}; }
}  // namespace tl::debug

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto precedence : {tl::debug::Precedence::cpp, tl::debug::Precedence::python}) try {
      tl::debug::parse(text, precedence);
    } catch (const tl::Error&) {
    }
  tl::text::declared("kernel.h", text);
  const tl::debug::SourceModel model("kernel.h", text);
  for (int line = 1; line <= model.lines(); ++line) model.statement_of(model.op_token(tl::trace::Op::add, line, 3));
  return 0;
}
