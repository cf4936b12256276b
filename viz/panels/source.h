// The kernel's text: syntax colours, breakpoints in the gutter, the next line to execute, values on hover, what each
// line has moved.
#pragma once

#include <memory>
#include <string_view>

#include "viz/panels/view.h"

namespace tl::viz {

class SourceView : public View {
 public:
  const char* name() const override { return "Source"; }
  void draw(Workspace& workspace) override;
  std::string text(Workspace& workspace) override;

 private:
  void draw_line(Workspace& workspace, const debug::SourceModel& model, int file, int line);
  void draw_header(Workspace& workspace, const debug::SourceModel& model, bool has_original);
  void draw_traffic_header(Workspace& workspace, float room);
  void draw_lines(Workspace& workspace, const debug::SourceModel& model, int file, int next, int shown);
  void draw_gutter(Workspace& workspace, int file, int line);
  void find_traffic(Workspace& workspace, int file);
  bool has_traffic() const { return shows_traffic_; }  // also before the first load: the text stays where it is
  void draw_traffic(Workspace& workspace, int line);
  void draw_original(Workspace& workspace, std::string_view text);
  void draw_condition_editor(Workspace& workspace);
  void show_value(Workspace& workspace, const std::string& name);

  std::uint64_t generation_ = 0;
  int shown_file_ = -1, shown_line_ = -1;  // last scrolled to
  float tail_ = 0;                         // px, empty beneath the last line
  std::size_t next_token_ = 0;             // while lines are drawn in order
  bool shows_traffic_ = true, shows_original_ = false, is_narrow_ = false;
  std::pair<const char*, std::shared_ptr<debug::SourceModel>> original_{};  // of that text
  trace::Moment traffic_at_;                                                // what is kept below is of this moment
  int traffic_file_ = -1;
  std::uint64_t traffic_in_ = 0;
  const ModelRun* traffic_by_ = nullptr;
  std::map<int, Findings::Traffic> traffic_;
  std::map<int, std::int64_t> sectors_;
  double most_bytes_ = 0;
  int edited_line_ = 0;  // whose breakpoint gets a condition
  bool wants_editor_ = false;
  std::string edited_condition_;
};

}  // namespace tl::viz
