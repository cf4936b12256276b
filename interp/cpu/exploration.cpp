// Runs a program along its paths.
#include "interp/cpu/exploration.h"

#include <fmt/format.h>

#include "interp/cpu/absent.h"

namespace tl::cpu {

namespace {

constexpr int most_runs = 512, most_decisions_of_a_place = 2;
constexpr std::int64_t most_ops = 1'000'000;  // of all runs: a fraction of a second

RunOptions without_checks() {
  RunOptions options;
  options.order = Order::sequential;
  options.checks = {};
  options.checks.hints = false;
  return options;
}

std::string text_of_place(const Where& w) {
  return fmt::format("{}:{}", w.location.site().file, w.location.site().line);
}

}  // namespace

bool is_loaded_ahead(std::span<const std::int64_t> shape, bool by_descriptor) {
  return shape.empty() || by_descriptor ||
         (shape.size() == 2 &&
          rules::is_ring_load(rules::Sizes(static_cast<int>(shape[0]), static_cast<int>(shape[1]))));
}

Exploration::Exploration(const Launch& launch)
    : launch_(launch),
      options_(without_checks()),
      shared_{.launch = launch_, .options = options_, .tensors = {}, .info = {}},
      state_(shared_) {
  shared_.info = info_of(launch, shared_.tensors);
  shared_.running = 1;
  state_.has_data = false;
  state_.exploration = this;
}

Explored Exploration::run() {
  open_ = {{}};
  for (int runs = 0; !open_.empty(); ++runs) {
    if (runs == most_runs) {
      found_.not_followed = fmt::format("its branches allow more than {} paths", most_runs);
      break;
    }
    path_ = std::move(open_.back());
    open_.pop_back();
    at_ = 0;
    times_.clear();
    stored_.clear();
    try {
      state_.begin_program({}, trace::Keep::nothing);
      launch_.on_cpu(state_.context);
    } catch (const std::exception& e) {  // perhaps in a run that no launch takes
      found_.not_followed = e.what();
    }
    if (ops_ >= most_ops) break;
  }
  return found_;
}

Context& Exploration::begin() {
  path_.clear();
  at_ = 0;
  state_.begin_program({}, trace::Keep::nothing);
  return state_.context;
}

bool Exploration::decides(const Where& w, bool by_data) {
  found_.data_decides |= by_data;
  const Site site = w.location.site();
  const int times = ++times_[{site.file, site.line, site.column}];
  if (at_ == path_.size()) {
    if (times <= most_decisions_of_a_place) {
      open_.push_back(path_);
      open_.back().push_back(false);
    }
    path_.push_back(times <= most_decisions_of_a_place || times % 2 == 0);  // by turns, so that a `while` ends
  }
  return path_[at_++];
}

void Exploration::goes_by_pointers(const Where& w, const char* op) {
  if (found_.by_pointers.empty()) found_.by_pointers = fmt::format("{} has {}", text_of_place(w), op);
}

Ref Exploration::addressed(const Where& w, DType element) {
  goes_by_pointers(w, "pointer_type");
  for (std::size_t i = 0; i < shared_.tensors.size(); ++i) {
    if (shared_.tensors[i].dtype != element) continue;
    Ref r = absent_scalar(w.state, element);
    r->is_pointer = true;
    r->tensor = static_cast<int>(i);
    return r;
  }
  throw NeedsValues(fmt::format("the address at {} is that of no tensor", text_of_place(w)));
}

bool Exploration::share_memory(int tensor, int other) const {
  if (tensor == other) return true;
  const Tensor &a = shared_.tensors[static_cast<std::size_t>(tensor)],
               &b = shared_.tensors[static_cast<std::size_t>(other)];
  return a.data() && b.data() && a.data() < b.data() + b.storage_bytes() && b.data() < a.data() + a.storage_bytes();
}

void Exploration::op(const Where& w, std::span<const Value* const> operands, const trace::Access* a,
                     std::string_view text) {
  if (++ops_ >= most_ops) throw NeedsValues(fmt::format("its paths have more than {} ops", most_ops));
  if (w.state.quiet) return;
  if (a) return access(w, *a, operands.empty() || !operands[0] || !operands[0]->is_pointer);
  if (w.op != Op::dot && w.op != Op::dot_scaled) return;
  // fp32 and wider as they are: text tells how fp32 is rounded.
  const DType t = operands[0]->dtype;
  const bool is_exact = w.op == Op::dot && (t == DType::float32 || t == DType::float64) && text.empty();
  if (!is_exact) found_.dots = rules::Dots::any;
  else if (found_.dots == rules::Dots::none) found_.dots = rules::Dots::exact;
}

void Exploration::access(const Where& w, const trace::Access& a, bool by_descriptor) {
  if (a.writes()) {
    stored_.insert(a.tensor);
    found_.stored.try_emplace(a.tensor, w.location.site());
    return;
  }
  const DType dtype = shared_.tensors[static_cast<std::size_t>(a.tensor)].dtype;
  if (a.shape.rank == 1 && (dtype == DType::int32 || dtype == DType::int64)) found_.tables.insert(a.tensor);
  if (!is_loaded_ahead(a.shape.span(), by_descriptor)) return;
  if (a.shape.rank > 0) found_.tiles.insert(a.tensor);
  found_.loaded_ahead.try_emplace(a.tensor, w.location.site());
  if (found_.load_after_store) return;
  for (const int stored : stored_)
    if (share_memory(a.tensor, stored)) found_.load_after_store = {w.location.site(), a.tensor, stored};
}

}  // namespace tl::cpu
