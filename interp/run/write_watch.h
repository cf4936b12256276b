// Observes which programs write one tensor: which elements nobody wrote, who wrote a chosen one, where each program
// stored.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "interp/cpu/run.h"
#include "interp/lang/tensor.h"
#include "interp/trace/event.h"

namespace tl::run {

class WriteWatch : public trace::Observer, public cpu::TurnListener {
 public:
  struct Writer {
    int launch = 0;
    ProgramId program;
    std::int64_t lane = 0;
    Site site;
  };
  struct Range {
    std::int64_t first = 0, last = -1;
    bool is_empty() const { return last < first; }
    friend bool operator==(const Range&, const Range&) = default;
  };

  WriteWatch(const Tensor& tensor, std::int64_t element);

  const std::optional<Writer>& last_writer() const { return last_; }  // of the element
  std::int64_t writes() const { return writes_; }                     // of the element
  bool is_written(std::int64_t element) const { return written_[element]; }
  Range unwritten_around(std::int64_t element) const;  // the longest run of unwritten elements that holds it
  std::int64_t unwritten() const;
  std::int64_t first_unwritten() const;                // of any
  std::int64_t programs() const { return programs_; }  // that stored to the tensor
  // What every program stored to, if that is one and the same range; else nothing.
  std::optional<Range> common_range() const;
  Range whole_range() const { return whole_; }

  void launch_begins(const trace::LaunchInfo& launch) override;
  trace::Keep program_begins(ProgramId id) override;
  void program_goes_on(ProgramId id) override { program_ = id; }
  void op(const trace::OpEvent& event) override;
  void program_ends(ProgramId id) override;

 private:
  const std::byte* data_;
  std::int64_t element_;
  std::vector<bool> written_;
  int launch_ = -1;
  int index_ = -1;  // of the tensor in the current launch
  ProgramId program_;
  std::map<std::array<std::int64_t, 3>, Range> ranges_;  // of each program under way
  Range& range() { return ranges_[{program_.x, program_.y, program_.z}]; }
  Range first_range_, whole_;
  bool all_same_ = true;
  std::int64_t programs_ = 0, writes_ = 0;
  std::optional<Writer> last_;
};

}  // namespace tl::run
