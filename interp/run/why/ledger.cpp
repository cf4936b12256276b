#include "interp/run/why/ledger.h"

#include <algorithm>

#include "interp/trace/access_record.h"
#include "interp/trace/recorded.h"

namespace tl::run {

std::int64_t LedgerValue::count() const {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

double LedgerValue::real(std::int64_t lane) const {
  const DType t = is_pointer ? DType::int64 : dtype;
  return trace::decode_element(t, bytes.data() + lane * size_in_bytes(t));
}

std::int64_t LedgerValue::whole(std::int64_t lane) const {
  const DType t = is_pointer ? DType::int64 : dtype;
  return trace::decode_int(t, bytes.data() + lane * size_in_bytes(t));
}

LedgerAccess::LedgerAccess(const trace::Access& a) : trace::Access(a) {
  if (offsets) {
    own_offsets_.assign(offsets, offsets + lanes());
    offsets = own_offsets_.data();
  }
  if (mask) {
    own_mask_.assign(mask, mask + lanes());
    mask = own_mask_.data();
  }
}

void Ledger::launch_begins(const trace::LaunchInfo& launch) { launches_.push_back(launch); }

trace::Keep Ledger::program_begins(ProgramId id) {
  program_ = id;
  numbers_.clear();
  const bool is_wanted = !only_ || (only_->first == static_cast<int>(launches_.size()) - 1 && only_->second == id);
  return is_whole_ && is_wanted ? trace::Keep::values : trace::Keep::nothing;
}

void Ledger::literal(unsigned char position, double number) { numbers_.emplace_back(position, number); }

int Ledger::keep(const trace::Value& v) {
  if (v.id)
    if (const auto it = index().find(v.id); it != index().end()) return it->second;
  LedgerValue kept{v.dtype, v.tensor >= 0, {v.shape.begin(), v.shape.end()}, {}};
  const auto bytes = static_cast<std::size_t>(kept.count() * size_in_bytes(kept.is_pointer ? DType::int64 : v.dtype));
  if (bytes + sizeof(LedgerStep) > left_) {
    is_whole_ = false;
    return LedgerStep::literal;
  }
  left_ -= bytes + sizeof(LedgerStep);
  if (const std::byte* data = v.data()) kept.bytes.assign(data, data + bytes);
  else kept.bytes.resize(bytes);
  values.push_back(std::move(kept));
  if (v.id) index()[v.id] = static_cast<int>(values.size()) - 1;
  return static_cast<int>(values.size()) - 1;
}

void Ledger::op(const trace::OpEvent& e) {
  if (!is_whole_) return;
  LedgerStep step{.op = e.op, .site = e.site, .program = program_, .is_tf32 = e.text == trace::text_of_tf32};
  // Numbers in the text have their places among the operands; values take those that are left.
  std::size_t next = 0;
  const std::size_t places = e.operands.size() + numbers_.size();
  for (std::size_t p = 0; p < places; ++p) {
    const auto number =
        std::ranges::find(numbers_, static_cast<unsigned char>(p), &std::pair<unsigned char, double>::first);
    if (number == numbers_.end() && next >= e.operands.size()) break;
    step.operands.push_back(number == numbers_.end() ? keep(e.operands[next++]) : LedgerStep::literal);
    step.numbers.push_back(number == numbers_.end() ? NAN : number->second);
  }
  while (next < e.operands.size()) {
    step.operands.push_back(keep(e.operands[next++]));
    step.numbers.push_back(NAN);
  }
  for (const trace::Value& v : e.results) step.results.push_back(keep(v));
  step.literals.assign(e.literals.begin(), e.literals.end());
  if (e.access) {
    step.access = std::make_unique<LedgerAccess>(*e.access);
    step.access->of = &launches_.back().tensors[static_cast<std::size_t>(e.access->tensor)];
    step.access->data = step.access->of->data;
  }
  numbers_.clear();
  if (is_whole_) steps.push_back(std::move(step));
}

}  // namespace tl::run
