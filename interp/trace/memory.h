// Memory at any moment of a recorded run: contents before it plus the stores up to then, undone again when going back.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "interp/trace/recorded.h"

namespace tl::trace {

// Before step `step` of program number `program` (its place in RecordedTrace::programs).
struct Moment {
  std::size_t program = 0;
  std::uint32_t step = 0;
  friend auto operator<=>(const Moment&, const Moment&) = default;
};

class Memory {
 public:
  explicit Memory(const RecordedTrace& trace);

  void seek(Moment to);
  int launch() const { return launch_; }
  // About a tensor of the current launch, at the current moment. Ask for an element only where it is known.
  bool is_known(int tensor) const { return tensors_[tensor].is_known; }  // throughout
  bool is_known(int tensor, std::int64_t offset) const;
  double element(int tensor, std::int64_t offset) const;
  std::int64_t element_as_int(int tensor, std::int64_t offset) const;
  bool is_unset(int tensor, std::int64_t offset) const;    // an output's element that nobody has written yet
  bool is_written(int tensor, std::int64_t offset) const;  // by a recorded program since the launch began

 private:
  struct Contents {
    bool is_known = false;
    DType dtype = DType::float32;
    std::vector<std::byte> bytes;
    std::vector<bool> written;
    std::vector<std::byte> poison;  // of an element; empty: every pattern may be a value
    std::unordered_map<std::int64_t, std::int64_t>
        place_of_page;  // where only some pages are known: the index of their first element
    std::int64_t index_of(std::int64_t offset) const;  // in `bytes` and `written`; -1: unknown
  };
  struct Write {
    Moment moment;
    const RecordedAccess* access;
  };
  void enter_launch(int launch);
  void apply(const Write& write);
  void undo(const Write& write);

  const RecordedTrace& trace_;
  std::vector<Write> writes_;  // of the whole run, in order
  std::size_t done_ = 0;       // of them, applied
  std::size_t launch_first_ = 0;
  int launch_ = -1;
  std::vector<Contents> tensors_;
  std::vector<std::byte> undo_;
};

// One touch of one cell.
struct Touch {
  Moment moment;  // of the op itself
  AccessKind kind = AccessKind::load;
  std::int64_t lane = 0;
  std::int64_t element = 0;
};
// Every touch of the elements first .. last of a tensor, in the order of the run.
void for_each_touch(const RecordedTrace& trace, int launch, int tensor, std::int64_t first, std::int64_t last,
                    const std::function<void(const Touch&)>& visit);
std::vector<Touch> touches_of(const RecordedTrace& trace, int launch, int tensor, std::int64_t first,
                              std::int64_t last);

// The element a fully indexed cell of a tensor stands at, and the cell of an element: out[3, 1] of element 13.
std::optional<std::int64_t> element_at(const RecordedTensor& tensor, std::span<const std::int64_t> index);
std::string cell_name(const RecordedTensor& tensor, std::int64_t element);

}  // namespace tl::trace
