#include "interp/dap/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <numeric>

#include "interp/debug/show.h"

namespace tl::dap {
namespace {

std::int64_t row_major(const Index& index, std::span<const std::int64_t> shape) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at = at * shape[d] + index[d];
  return at;
}

std::string pointer_text(const trace::RecordedTensor& tensor, std::int64_t offset) {
  const bool is_inside = offset >= 0 && offset < tensor.storage_elems;
  return is_inside ? trace::cell_name(tensor, offset) : fmt::format("{} + {}, outside", tensor.name, offset);
}

}  // namespace

Elements elements_of(std::string name, const trace::RecordedValue& value, const trace::RecordedLaunch& launch) {
  const bool is_pointer = value.tensor >= 0;
  Elements result{std::move(name), debug::elements_text(value, launch), is_pointer ? "ptr" : name_of(value.dtype), {}};
  if (!value.is_kept()) return result;
  result.shape.assign(value.shape.span().begin(), value.shape.span().end());
  result.text = [&value, &launch, is_pointer](const Index& index) {
    const debug::Number number = debug::number_of(value, row_major(index, value.shape.span()));
    return is_pointer ? pointer_text(launch.tensors[value.tensor], number.whole) : debug::text_of(number, value.dtype);
  };
  return result;
}

Elements elements_of(std::string name, debug::Array array) {
  Elements result{std::move(name), debug::text_of(array), name_of(array.dtype), array.shape};
  result.text = [kept = std::make_shared<const debug::Array>(std::move(array))](const Index& index) {
    const auto at = static_cast<std::size_t>(row_major(index, kept->shape));
    const bool is_unset = !kept->unset.empty() && kept->unset[at];
    return is_unset ? "?" : debug::text_of(kept->data[at], kept->dtype);
  };
  return result;
}

Elements elements_of(std::string name, debug::TensorView tensor) {
  Elements result{std::move(name), "", name_of(tensor.dtype), tensor.shape};
  result.tensor = tensor.name;
  result.text = [t = std::move(tensor)](const Index& index) -> std::string {
    const std::int64_t element = std::inner_product(index.begin(), index.end(), t.strides.begin(), std::int64_t{0});
    try {
      const debug::Number number = t.read(element);  // throws where it is not known
      return t.is_unset && t.is_unset(element) ? "?" : debug::text_of(number, t.dtype);
    } catch (const Error&) {
      return "(not recorded)";
    }
  };
  result.whole = text_behind(result, {});
  return result;
}

std::string type_behind(const Elements& elements, const Index& index) {
  std::string result = elements.type;
  for (std::size_t d = index.size(); d < elements.shape.size(); ++d)
    result += fmt::format("{}{}", d == index.size() ? "[" : ",", elements.shape[d]);
  return result + (index.size() < elements.shape.size() ? "]" : "");
}

std::string text_behind(const Elements& elements, const Index& index) {
  if (index.empty() && !elements.whole.empty()) return elements.whole;
  if (index.size() == elements.shape.size()) return elements.text(index);
  if (index.size() + 1 < elements.shape.size()) return "";
  constexpr std::int64_t most = 16, edge = 4;
  const std::int64_t n = elements.shape.back();
  std::string result;
  Index at = index;
  at.push_back(0);
  for (std::int64_t& i = at.back(); i < n; ++i) {
    if (n > most && i == edge) {
      result += " ...";
      i = n - edge;
    }
    result += (i > 0 ? " " : "") + elements.text(at);
  }
  return "[" + result + "]";
}

std::string name_behind(const std::string& name, const Index& index) {
  if (index.empty()) return name;
  const bool is_word = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return fmt::format("{}[{}]", is_word ? name : "(" + name + ")", fmt::join(index, ", "));
}

}  // namespace tl::dap
