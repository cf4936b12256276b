// Records a run as it happens: an Observer that fills a RecordedTrace, within a budget of bytes.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "interp/lang/pid_condition.h"
#include "interp/trace/recorded.h"

namespace tl::trace {

struct RecorderOptions {
  PidCondition values;                     // these programs keep every value ...
  std::int64_t values_programs = 1 << 20;  // ... the first so many of them
  Keep others = Keep::accesses;            // what the rest keep
  std::size_t budget_bytes = std::size_t{1} << 30;
  std::function<void(std::int64_t programs, std::int64_t steps)> progress;         // after each program
  std::function<std::optional<std::string>(const std::string& file)> load_source;  // default: reads the file
};

class Recorder : public Observer {
 public:
  explicit Recorder(RecorderOptions options = {});

  // The recording so far; the recorder is empty afterwards. Reads the kernels' texts.
  RecordedTrace take();

  void launch_begins(const LaunchInfo& launch) override;
  Keep program_begins(ProgramId id) override;
  void before_write(const Access& access) override;
  void op(const OpEvent& event) override;
  void assigned(const void* variable, ValueId value) override;
  void forgotten(const void* variable) override;
  void named(const char* name, const void* variable) override;
  void number(const void* variable, const Value& value) override;
  void scope_begins(const Site& body, const Site& call) override;
  void scope_ends() override;
  void fault(const Fault& fault) override;
  void program_ends(ProgramId id) override;
  void launch_ends() override;

 private:
  std::int32_t value_index(ValueId id);
  VariableEvent* add_event(VariableChange change);
  std::uint32_t object_at(const void* variable);
  std::int32_t keep_value(const Value& value);
  std::int32_t keep_access(const Access& access);
  void read_effect();
  void keep_pages(const Access& access);
  bool fits(std::size_t bytes);
  RecordedSite keep_site(const Site& site);
  void summarize();

  RecorderOptions options_;
  RecordedTrace trace_;
  RecordedProgram* program_ = nullptr;
  std::unordered_map<ValueId, std::int32_t> value_of_id_;
  std::unordered_map<const void*, std::uint32_t> object_of_address_;
  std::uint32_t objects_ = 0;
  std::unordered_map<const char*, std::int32_t> text_of_name_;
  std::vector<const std::byte*> live_;       // the tensors' memory
  std::vector<std::vector<bool>> has_page_;  // of each tensor, where only the touched pages are kept
  std::int32_t pending_ = -1;                // an access whose effect is read once it has surely happened
  const char* last_file_ = nullptr;
  int last_file_index_ = -1;
  std::size_t used_ = 0;
  std::int64_t steps_ = 0, value_programs_ = 0;
  std::int64_t without_values_ = 0, cut_short_ = 0, unrecorded_ = 0, not_snapped_ = 0;
};

// The text of a file, when it can be read.
std::optional<std::string> read_text(const std::string& file);

}  // namespace tl::trace
