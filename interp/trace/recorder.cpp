#include "interp/trace/recorder.h"

#include "interp/lang/free_memory.h"
#include "interp/lang/input_file.h"
#include "interp/trace/read_as.h"

namespace tl::trace {
namespace {

bool is_splat(const std::byte* bytes, std::size_t size, std::int64_t elems) {
  return elems > 1 && std::memcmp(bytes, bytes + size, size * static_cast<std::size_t>(elems - 1)) == 0;
}

// base + sum of stride * coordinate? Offsets and their like almost always are; the check stops at the first that is
// not.
template <class T>
bool find_affine(const std::byte* bytes, const Extents& shape, std::int64_t* base_and_strides) {
  const auto at = [&](std::int64_t i) {
    return static_cast<std::int64_t>(read_as<T>(bytes + i * static_cast<std::int64_t>(sizeof(T))));
  };
  const std::int64_t elems = shape.product();
  const auto difference = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  };
  base_and_strides[0] = at(0);
  std::int64_t inner = 1;
  for (int d = shape.rank - 1; d >= 0; --d) {
    base_and_strides[d + 1] = shape[d] > 1 ? difference(at(inner), at(0)) : 0;
    inner *= shape[d];
  }
  const int last = shape.rank - 1;
  const std::int64_t run = shape[last], stride = base_and_strides[last + 1];
  for (std::int64_t start = 0; start < elems; start += run) {
    std::uint64_t expected = static_cast<std::uint64_t>(base_and_strides[0]);
    std::int64_t rest = start / run;
    for (int d = last - 1; d >= 0; --d) {
      expected += static_cast<std::uint64_t>(rest % shape[d]) * static_cast<std::uint64_t>(base_and_strides[d + 1]);
      rest /= shape[d];
    }
    for (std::int64_t i = 0; i < run; ++i, expected += static_cast<std::uint64_t>(stride))
      if (static_cast<std::uint64_t>(at(start + i)) != expected) return false;
  }
  return true;
}

bool find_affine(DType dtype, const std::byte* bytes, const Extents& shape, std::int64_t* base_and_strides) {
  if (shape.rank == 0 || shape.product() < 4) return false;
  if (dtype == DType::int64) return find_affine<std::int64_t>(bytes, shape, base_and_strides);
  if (dtype == DType::int32) return find_affine<std::int32_t>(bytes, shape, base_and_strides);
  return false;
}

constexpr std::size_t step_cost = sizeof(Step) + 4 * sizeof(std::int32_t) + 3 * sizeof(VariableEvent);

}  // namespace

Recorder::Recorder(RecorderOptions options) : options_(std::move(options)) {
  if (!options_.load_source) options_.load_source = read_text;
}

void Recorder::launch_begins(const LaunchInfo& info) {
  RecordedLaunch launch{info.kernel, info.source, {info.grid[0], info.grid[1], info.grid[2]}, {}, info.arguments};
  live_.clear();
  has_page_.clear();
  // Programs that go unrecorded may write anywhere: then memory is known only where the recorded ones look.
  const bool keeps_pages = options_.others == Keep::nothing;
  for (const TensorInfo& t : info.tensors) {
    RecordedTensor tensor{t.name, t.dtype, t.shape, t.strides, t.storage_elems, false, {}};
    const std::size_t bytes = static_cast<std::size_t>(t.storage_elems * size_in_bytes(t.dtype));
    if (keeps_pages) {
      has_page_.emplace_back(static_cast<std::size_t>(t.data ? tensor.page_count() : 0));
    } else if (t.data && used_ + bytes <= options_.budget_bytes / 2) {
      tensor.before.reserve(bytes);
      use_large_pages(tensor.before.data(), bytes);
      tensor.before.assign(t.data, t.data + bytes);
      tensor.has_before = true;
      used_ += bytes;
    } else {
      ++not_snapped_;
    }
    live_.push_back(t.data);
    launch.tensors.push_back(std::move(tensor));
  }
  trace_.launches.push_back(std::move(launch));
}

// The pages of its active lanes that are not kept yet, as they are now.
void Recorder::keep_pages(const Access& access) {
  const auto index = static_cast<std::size_t>(access.tensor);
  RecordedTensor& tensor = trace_.launches.back().tensors[index];
  std::vector<bool>& has_page = has_page_[index];
  const std::size_t size = static_cast<std::size_t>(size_in_bytes(tensor.dtype));
  std::int64_t last = -1;
  for_each_active_lane(access, [&](std::int64_t, std::int64_t offset) {
    const std::int64_t page = offset / RecordedTensor::page_elems;
    if (page == last || offset < 0 || offset >= tensor.storage_elems) return;
    last = page;
    if (has_page.empty() || has_page[page]) return;
    const std::size_t bytes = static_cast<std::size_t>(tensor.elems_of_page(page)) * size;
    if (!fits(bytes + sizeof page)) return;
    has_page[page] = true;
    const std::byte* const from = live_[index] + static_cast<std::size_t>(page * RecordedTensor::page_elems) * size;
    tensor.before.insert(tensor.before.end(), from, from + bytes);
    tensor.pages.push_back(page);
  });
}

void Recorder::before_write(const Access& access) {
  if (program_ && access.tensor >= 0 && !has_page_.empty()) keep_pages(access);
}

Keep Recorder::program_begins(ProgramId id) {
  Keep keep = options_.others;
  if (value_programs_ < options_.values_programs && options_.values.matches(id)) keep = Keep::values;
  if (used_ >= options_.budget_bytes) keep = Keep::nothing;
  if (keep == Keep::nothing) {
    program_ = nullptr;
    ++unrecorded_;
    return keep;
  }
  value_of_id_.clear();
  object_of_address_.clear();
  text_of_name_.clear();
  objects_ = 0;
  pending_ = -1;
  if (keep == Keep::values) ++value_programs_;
  else ++without_values_;
  program_ = &trace_.programs.emplace_back();
  program_->launch = static_cast<int>(trace_.launches.size()) - 1;
  program_->id = id;
  program_->keep = keep;
  used_ += sizeof(RecordedProgram);
  return keep;
}

// Values go first when memory runs out, then steps: a program that is cut short says so.
bool Recorder::fits(std::size_t bytes) {
  if (used_ + bytes > options_.budget_bytes) {
    if (!program_->is_cut_short) ++cut_short_;
    program_->is_cut_short = true;
    return false;
  }
  used_ += bytes;
  return true;
}

std::int32_t Recorder::value_index(ValueId id) {
  if (id == 0) return -1;
  const auto [at, is_new] = value_of_id_.try_emplace(id, static_cast<std::int32_t>(program_->values.size()));
  if (is_new) program_->values.emplace_back();
  return at->second;
}

std::int32_t Recorder::keep_value(const Value& value) {
  const std::int32_t index = value.id ? value_index(value.id) : static_cast<std::int32_t>(program_->values.size());
  if (!value.id) program_->values.emplace_back();
  RecordedValue& kept = program_->values[index];
  if (kept.form != Form::unseen) return index;
  kept.dtype = value.dtype;
  kept.tensor = value.tensor;
  kept.shape = Extents(value.shape);
  const std::int64_t elems = kept.shape.product();
  const std::size_t size = kept.element_bytes(), bytes = size * static_cast<std::size_t>(elems);
  kept.form = Form::dropped;
  if (elems == 0 || used_ + sizeof(RecordedValue) >= options_.budget_bytes) return index;
  const std::byte* const data = value.data();
  if (!data) return index;
  std::int64_t affine[max_rank + 1];
  if (is_splat(data, size, elems)) {
    if (!fits(size + sizeof(RecordedValue))) return index;
    kept.bytes = program_->arena.copy(data, size);
    kept.form = Form::splat;
  } else if (find_affine(kept.dtype, data, kept.shape, affine)) {
    const std::size_t needed = sizeof(std::int64_t) * static_cast<std::size_t>(kept.shape.rank + 1);
    if (!fits(needed + sizeof(RecordedValue))) return index;
    kept.bytes = program_->arena.copy(affine, needed);
    kept.form = Form::affine;
  } else {
    if (!fits(bytes + sizeof(RecordedValue))) return index;
    kept.bytes = program_->arena.copy(data, bytes);
    kept.form = Form::dense;
  }
  return index;
}

std::int32_t Recorder::keep_access(const Access& from) {
  RecordedAccess a(from);
  if (!from.is_tile) {
    const auto lanes = static_cast<std::size_t>(a.lanes()), bytes = lanes * sizeof(std::int64_t);
    if (!fits(bytes + (from.mask ? lanes : 0))) return -1;
    a.offsets = reinterpret_cast<const std::int64_t*>(program_->arena.copy(from.offsets, bytes));
    if (a.mask) a.mask = reinterpret_cast<const unsigned char*>(program_->arena.copy(from.mask, lanes));
  }
  if (!fits(sizeof(RecordedAccess))) return -1;
  program_->accesses.push_back(a);
  return static_cast<std::int32_t>(program_->accesses.size()) - 1;
}

// What a store left in memory: read from the tensor itself, so that casts and the order of equal addresses are the
// executor's.
void Recorder::read_effect() {
  if (pending_ < 0) return;
  RecordedAccess& a = program_->accesses[pending_];
  pending_ = -1;
  const RecordedTensor& tensor = trace_.launches.back().tensors[a.tensor];
  const std::byte* const live = live_[a.tensor];
  const std::size_t size = static_cast<std::size_t>(size_in_bytes(tensor.dtype));
  const std::size_t bytes = size * static_cast<std::size_t>(a.active);
  if (!live || a.active == 0 || a.first < 0 || a.last >= tensor.storage_elems || !fits(bytes)) return;
  std::byte* to = program_->arena.allocate(bytes);
  a.effect = to;
  const auto copy_all = [&]<std::size_t Size>() {
    for_each_active_lane(a, [&](std::int64_t, std::int64_t offset) {
      std::memcpy(to, live + static_cast<std::size_t>(offset) * Size, Size);
      to += Size;
    });
  };
  if (size == 1) copy_all.template operator()<1>();
  else if (size == 2) copy_all.template operator()<2>();
  else if (size == 4) copy_all.template operator()<4>();
  else copy_all.template operator()<8>();
}

RecordedSite Recorder::keep_site(const Site& site) {
  if (site.file != last_file_) {
    last_file_ = site.file;
    last_file_index_ = trace_.file_index(site.file ? site.file : "");
  }
  return {last_file_index_, site.line, site.column};
}

void Recorder::op(const OpEvent& event) {
  if (!program_) return;
  read_effect();
  ++steps_;
  if (program_->is_cut_short && used_ + step_cost > options_.budget_bytes) return;
  if (!fits(step_cost)) return;
  Step step;
  step.op = event.op;
  step.site = keep_site(event.site);
  step.first_ref = static_cast<std::uint32_t>(program_->refs.size());
  if (program_->keep == Keep::values) {
    step.operands = static_cast<unsigned char>(std::min<std::size_t>(event.operands.size(), 255));
    step.results = static_cast<unsigned char>(std::min<std::size_t>(event.results.size(), 255));
    for (const Value& v : event.operands.first(step.operands)) program_->refs.push_back(keep_value(v));
    for (const Value& v : event.results.first(step.results)) program_->refs.push_back(keep_value(v));
    if (!event.text.empty() && fits(event.text.size() + sizeof(std::string))) {
      step.text = static_cast<std::int32_t>(program_->texts.size());
      program_->texts.emplace_back(event.text);
    }
  }
  if (event.access && event.access->tensor >= 0) {
    if (!has_page_.empty() && event.access->kind == AccessKind::load) keep_pages(*event.access);
    step.access = keep_access(*event.access);
    if (step.access >= 0 && event.access->kind != AccessKind::load) pending_ = step.access;
  }
  program_->steps.push_back(step);
}

// Null where variables are not kept.
VariableEvent* Recorder::add_event(VariableChange change) {
  const std::size_t scope = change == VariableChange::scope_begins ? sizeof(RecordedScope) : 0;
  if (!program_ || program_->keep != Keep::values || program_->is_cut_short || !fits(sizeof(VariableEvent) + scope))
    return nullptr;
  return &program_->variables.emplace_back(
      VariableEvent{static_cast<std::uint32_t>(program_->steps.size()), change, VariableEvent::no_object, -1});
}

std::uint32_t Recorder::object_at(const void* variable) {
  const auto [at, is_new] = object_of_address_.try_emplace(variable, objects_);
  if (is_new) ++objects_;
  return at->second;
}

void Recorder::assigned(const void* variable, ValueId value) {
  if (VariableEvent* const e = add_event(VariableChange::assigned)) {
    e->object = object_at(variable);
    e->index = value_index(value);
  }
}

void Recorder::number(const void* variable, const Value& value) {
  if (VariableEvent* const e = add_event(VariableChange::assigned)) {
    e->object = object_at(variable);
    e->index = keep_value(value);
  }
}

void Recorder::forgotten(const void* variable) {
  const auto at = object_of_address_.find(variable);
  if (at == object_of_address_.end()) return;
  if (VariableEvent* const e = add_event(VariableChange::forgotten)) {
    e->object = at->second;
    object_of_address_.erase(at);  // what lives there next is another variable
  }
}

void Recorder::named(const char* name, const void* variable) {
  VariableEvent* const e = add_event(VariableChange::named);
  if (!e) return;
  if (const auto at = object_of_address_.find(variable); at != object_of_address_.end()) e->object = at->second;
  const auto [text, is_new] = text_of_name_.try_emplace(name, static_cast<std::int32_t>(program_->texts.size()));
  if (is_new) program_->texts.emplace_back(name);
  e->index = text->second;
}

void Recorder::scope_begins(const Site& body, const Site& call) {
  if (VariableEvent* const e = add_event(VariableChange::scope_begins)) {
    e->index = static_cast<std::int32_t>(program_->scopes.size());
    program_->scopes.push_back({keep_site(body), keep_site(call)});
  }
}

void Recorder::scope_ends() { add_event(VariableChange::scope_ends); }

void Recorder::fault(const Fault& fault) {
  if (trace_.launches.empty()) return;
  RecordedProgram* program = program_;
  if (!program) {  // it was not observed: only its fault is recorded
    program = &trace_.programs.emplace_back();
    program->launch = static_cast<int>(trace_.launches.size()) - 1;
    program->id = fault.program;
    program->keep = Keep::nothing;
  } else {
    read_effect();
  }
  RecordedFault kept{static_cast<std::uint32_t>(program->steps.size()), fault};
  kept.fault.site.file = trace_.files[keep_site(fault.site).file].c_str();
  program->faults.push_back(std::move(kept));
}

void Recorder::program_ends(ProgramId) {
  if (program_) {
    read_effect();
    program_ = nullptr;
  }
  if (options_.progress) options_.progress(static_cast<std::int64_t>(trace_.programs.size()) + unrecorded_, steps_);
}

void Recorder::launch_ends() {
  if (program_) read_effect();
  program_ = nullptr;
  live_.clear();
  has_page_.clear();
}

void Recorder::summarize() {
  const auto programs = [](std::int64_t n) {
    return n == 1 ? std::string("1 program") : std::to_string(n) + " programs";
  };
  const std::string budget = std::to_string(options_.budget_bytes >> 20) + " MB";
  if (without_values_)
    trace_.notes.push_back(programs(without_values_) + " kept what they loaded and stored, but not their values");
  if (cut_short_)
    trace_.notes.push_back("the budget of " + budget + " ran out: " + programs(cut_short_) + " cut short");
  if (unrecorded_)
    trace_.notes.push_back(programs(unrecorded_) + " not recorded" +
                           (used_ >= options_.budget_bytes ? ": the budget of " + budget + " ran out" : ""));
  if (not_snapped_)
    trace_.notes.push_back(std::to_string(not_snapped_) + " tensors were too large for the budget of " + budget +
                           ": their contents before the run are unknown");
}

RecordedTrace Recorder::take() {
  summarize();
  for (const std::string& file : trace_.files)
    if (const auto text = options_.load_source(file)) trace_.sources.push_back({file, *text});
  RecordedTrace result = std::move(trace_);
  *this = Recorder(options_);
  return result;
}

std::optional<std::string> read_text(const std::string& file) { return regular_file_if_any(file); }

}  // namespace tl::trace
