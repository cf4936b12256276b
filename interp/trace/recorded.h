// A recorded run, in memory: launches, programs in the order they ran, their steps, values, accesses and variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/trace/arena.h"
#include "interp/trace/event.h"

namespace tl::trace {

// How a value's elements are kept. An offset block is a base and a stride an axis; a constant block one element.
enum class Form : unsigned char { unseen, dropped, dense, splat, affine };

struct RecordedValue {
  DType dtype = DType::float32;
  Form form = Form::unseen;
  int tensor = -1;  // of a pointer: index of RecordedLaunch::tensors
  Extents shape;
  const std::byte* bytes = nullptr;  // dense: row-major elements; splat: one; affine: int64 base, then int64 strides

  bool is_kept() const { return form >= Form::dense; }
  std::size_t element_bytes() const { return static_cast<std::size_t>(size_in_bytes(dtype)); }
};

// Element `lane` (row-major) of a kept value.
double element_as_double(const RecordedValue& value, std::int64_t lane);
std::int64_t element_as_int(const RecordedValue& value, std::int64_t lane);  // of an integer value
double decode_element(DType dtype, const std::byte* at);
std::int64_t decode_int(DType dtype, const std::byte* at);

struct RecordedAccess : Access {
  std::int64_t active = 0;            // lanes that touch memory
  std::int64_t first = 0, last = -1;  // smallest and largest element touched; last < first: none
  const std::byte* effect = nullptr;  // store, atomic: what each active lane's cell held afterwards, in lane order

  RecordedAccess() = default;
  explicit RecordedAccess(const Access& access) : Access(access) { count_lanes(); }
  void count_lanes();                                                      // fills active, first and last from the rest
  const std::byte* effect_of(std::int64_t lane, int element_bytes) const;  // of an active lane, where it is known
};

struct RecordedSite {
  int file = -1;  // index of RecordedTrace::files
  int line = 0, column = 0;
  friend bool operator==(const RecordedSite&, const RecordedSite&) = default;
};

// One op. Its operands and results are `refs[first_ref ...]` of its program, indices of `values`.
struct Step {
  Op op = Op::program_id;
  unsigned char operands = 0, results = 0;
  RecordedSite site;
  std::uint32_t first_ref = 0;
  std::int32_t access = -1;  // index of `accesses`
  std::int32_t text = -1;    // index of `texts`
};

// What became of variables after `step` ops of their program: an object took a value or was destroyed, or got a name
// that lasts as long as the scope; a scope began or ended.
enum class VariableChange : unsigned char { assigned, forgotten, named, scope_begins, scope_ends };
struct VariableEvent {
  static constexpr std::uint32_t no_object = ~std::uint32_t{0};
  std::uint32_t step = 0;
  VariableChange change = VariableChange::assigned;
  std::uint32_t object = no_object;  // assigned, forgotten; named: what is known under that name, no_object: nothing
  std::int32_t index = -1;           // assigned: of `values`; named: of `texts`; scope_begins: of `scopes`
};

// A function under way, or a block of one.
struct RecordedScope {
  RecordedSite body, call;  // the {, line 0 of a mere block; where the call stands, line 0 where not known
};

struct RecordedFault {
  std::uint32_t step = 0;  // ops that were done before it
  Fault fault;             // its site's file lives in RecordedTrace::files
};

struct RecordedProgram {
  int launch = 0;
  ProgramId id;
  Keep keep = Keep::values;
  bool is_cut_short = false;  // the budget ran out within it
  std::vector<Step> steps;
  std::vector<std::int32_t> refs;
  std::vector<RecordedValue> values;
  std::vector<RecordedAccess> accesses;
  std::vector<VariableEvent> variables;
  std::vector<RecordedScope> scopes;
  std::vector<std::string> texts;
  std::vector<RecordedFault> faults;
  Arena arena;

  std::span<const std::int32_t> operands(const Step& s) const { return {refs.data() + s.first_ref, s.operands}; }
  std::span<const std::int32_t> results(const Step& s) const {
    return {refs.data() + s.first_ref + s.operands, s.results};
  }
};

struct RecordedTensor {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape, strides;
  std::int64_t storage_elems = 0;
  bool has_before = false;
  std::vector<std::byte> before;  // contents when the launch began; without has_before: of `pages` alone
  // Where only some programs were recorded: the pages that they touch, each as the first of them found it.
  static constexpr std::int64_t page_elems = 1024;
  std::vector<std::int64_t> pages = {};

  std::int64_t page_count() const { return (storage_elems + page_elems - 1) / page_elems; }
  std::int64_t elems_of_page(std::int64_t page) const {
    return std::min(page_elems, storage_elems - page * page_elems);
  }
};

struct RecordedLaunch {
  std::string kernel, source;
  std::int64_t grid[3] = {1, 1, 1};
  std::vector<RecordedTensor> tensors;
  std::vector<std::string> arguments;
};

struct SourceText {
  std::string file, text;
};

struct RecordedTrace {
  std::vector<RecordedLaunch> launches;
  std::deque<RecordedProgram> programs;  // in the order they ran
  std::deque<std::string> files;         // what sites name; a deque, so that their addresses stay
  std::vector<SourceText> sources;
  std::vector<std::string> notes;  // what was dropped, and why
  // The elements of each output that are wrong at the end, of its storage, sorted. None: the case has no reference.
  std::optional<std::map<std::string, std::vector<std::int64_t>>> wrong;

  std::int64_t steps() const;
  int file_index(const std::string& file);  // adds it when new
};

// `(2,0,0)`, as every message names a program.
std::string text_of(ProgramId id);

}  // namespace tl::trace
