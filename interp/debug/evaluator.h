// What computes an expression: a tree of syntax.h over the values of its names.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/calculator.h"
#include "interp/debug/syntax.h"
#include "interp/debug/text_functions.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {

using cpu::AxisPart;
using cpu::Block;
using cpu::Constant;
using cpu::Tuple;

// Every index of the parts of some axes, the last running fastest. false, with nothing visited: more than four million.
template <class Visit>
bool for_each_index(const std::vector<AxisPart>& parts, Visit visit) {
  double count = 1;
  for (const AxisPart& p : parts) count *= static_cast<double>(p.count);
  if (count > (1 << 22)) return false;
  std::vector<std::int64_t> at(parts.size(), 0), index(parts.size());
  for (std::int64_t left = static_cast<std::int64_t>(count); left > 0; --left) {
    end_if_stopped();
    for (std::size_t d = 0; d < parts.size(); ++d) index[d] = parts[d].first + at[d] * parts[d].step;
    visit(index);
    for (std::size_t d = parts.size(); d > 0 && ++at[d - 1] == parts[d - 1].count; --d) at[d - 1] = 0;
  }
  return true;
}

// What a subscript takes of each axis, and the shape of the result.
struct Cut {
  std::vector<AxisPart> parts;
  std::vector<std::int64_t> shape;
  // Axes of the result for which blocks of indices stand; NumPy puts theirs first where a slice stands between them.
  std::vector<int> axes = {};
  std::vector<AnyValue> indices = {};
  bool leads = false;
};

class Evaluator {
 public:
  Evaluator(std::string_view text, const Resolve& resolve, Rules rules, Pairs pairs = Pairs::values,
            InexactSum* inexact = nullptr)
      : text_(text), resolve_(resolve), calculator_(workspace_.tl(), rules, pairs, inexact) {}

  Array array(const Node& n);
  Cells cells(const Node& n);

 private:
  using Parameter = cpu::NamedValue;
  // Within a function's text the place is that of its call.
  [[noreturn]] void fail(const Node& n, const std::string& fact, const std::string& fix) const {
    fail_at(text_, (call_ ? *call_ : n).position, fact, fix);
  }
  // f(), whose Error is told at the node's place.
  template <class F>
  auto at(const Node& n, F f) const {
    end_if_stopped();
    try {
      return f();
    } catch (const Stopped&) {
      throw;
    } catch (const Error& e) {
      fail(n, e.what(), e.fix);
    }
  }
  AnyValue value(const Node& n);
  bool holds(const Node& n, const AnyValue& condition) const;
  // A function that is the text of others: its parameters are the names there.
  AnyValue of_text(const Node& n, Arguments arguments);
  const AnyValue* parameter(std::string_view name) const;
  static std::optional<AnyValue> word(const std::string& name);
  // What a name means if no variable has it.
  static std::optional<AnyValue> known(const std::string& name);
  std::optional<Operand> named(const Node& n);
  AnyValue of_name(const Node& n);
  AnyValue of_array(const Array& a);
  static std::vector<AxisPart> whole(const std::vector<std::int64_t>& shape);
  static std::int64_t element_of(const TensorView& t, const std::vector<std::int64_t>& index);
  template <class Visit>
  void for_each(const Node& n, const std::vector<AxisPart>& parts, Visit visit) {
    if (!for_each_index(parts, visit)) fail(n, "more than four million elements", "take a slice, as in x[0:8]");
  }
  Array read(const Node& n, const TensorView& t, const std::vector<AxisPart>& parts);
  std::int64_t index_of(const Node& n, const AnyValue& v);
  std::optional<std::int64_t> bound(const Node& of, int child);
  // Slices in full: ... becomes the axes that it stands for, those left out at the end are whole.
  std::vector<Slice> slices_of(const Node& n, std::size_t rank, const std::string& fix);
  Cut cut_of(const Node& n, const std::vector<std::int64_t>& shape, bool is_tensor);
  // x[i] of whole numbers with axes, or of a list of them.
  bool take_indices(const Node& n, const Slice& s, std::int64_t extent, Cut& cut);
  AnyValue shaped(const Node& n, const AnyValue& taken, const Cut& cut);
  AxisPart part_of(const Node& n, std::size_t axis, std::int64_t extent, std::optional<std::int64_t> first,
                   std::optional<std::int64_t> end, std::int64_t step, const std::string& fix);
  // A kernel's variable hides a tensor of its name: x = tl.load(x_ptr ...).
  std::string fix_of(const Node& n, bool is_tensor) const;
  AnyValue subscript(const Node& n);
  AnyValue element_of_tuple(const Node& n, const std::vector<AnyValue>& all);

  std::string_view text_;
  const Resolve& resolve_;
  cpu::Workspace workspace_;
  Calculator calculator_;
  std::vector<Parameter> parameters_ = {};  // of the function whose text is evaluated
  const Node* call_ = nullptr;              // what called it
};

}  // namespace tl::debug
