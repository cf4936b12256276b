// The window's one object: what is open, which panels stand where, what keys do. `frame` draws everything once.
#pragma once

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viz/app/actions.h"
#include "viz/app/glfw_window.h"
#include "viz/app/layout.h"
#include "viz/app/preferences.h"
#include "viz/app/runner.h"
#include "viz/panels/all.h"

namespace tl::viz {

class App {
 public:
  // `more`: panels that a part of its own brings along, the lessons; they stand before the others.
  App(GlfwWindow& window, Preferences preferences, std::vector<std::unique_ptr<View>> more = {});

  void open_kernel(const run::KernelOptions& kernel);  // at the case that it opens with
  void open(RecordRequest request);                    // recorded beside the window's thread
  void open(trace::RecordedTrace trace, const std::string& title = "a recording");
  // Plays another case on the chip beside the kernel that is open: a changed setting, group_size=1, or another kernel
  // with its settings.
  void play_beside(const std::string& change);
  void open_file(const std::string& file);  // a kernel's text or a recording; what is wrong with it is shown
  void schedule_recording();                // has the machine model run the recording that is open
  void close();                             // nothing is open, as at first
  // Opens a newer recording of the same kernel: program, step and selection stay as far as they still exist.
  void replace(trace::RecordedTrace trace, const std::string& title);
  void add(std::string title, std::vector<KeyPress> keys, std::function<void()> run,
           bool is_letter = false);  // an action
  void use_gpu(std::string gpu);     // of the model; throws Error for an unknown one
  // The action behind "run again" while a recording from a file is open.
  void repeat_by(std::function<void()> repeat) { repeat_ = std::move(repeat); }
  void frame();
  bool needs_frame() const;  // something moved, or is about to
  // How long to wait for an event; shorter while a kernel runs, for the clock.
  double seconds_to_sleep() const { return runner_.is_busy() ? 0.25 : 3600; }

  // For screenshots and tests.
  bool is_busy() const { return !runner_.is_done() || has_answer_; }
  void show(const std::string& panel);  // by name, any case; throws Error for an unknown one
  void go_to_step(std::int64_t step);   // of the program in focus
  Workspace& workspace() { return workspace_; }
  View* panel(const std::string& name);  // any case; null: none
  Layout& layout();
  int shown_tab(const Pane& pane);  // the active one, or what stands in for it
  void keep_layout();               // the splitters' places, into preferences()
  const Preferences& preferences() const { return preferences_; }
  const std::optional<Error>& error() const { return error_; }
  std::vector<std::string> panel_names() const;
  std::vector<std::string> presets() const;                                 // those whose panels are there
  bool is_offered(const std::string& preset) const;                         // in the toolbar; the commands have all
  void set_empty_text(std::string line) { empty_text_ = std::move(line); }  // what panels show while nothing is open
  void redraw() { frames_to_draw_ = 3; }                                    // something that a panel shows has changed

 private:
  // app_answers.cpp
  void take_answer();
  void mark_open_config();               // in the tuning picture
  void take_programs(RunAnswer answer);  // recorded for the recording that is open
  bool fetch(ProgramId program);         // has its values recorded; the moment goes there once they are
  void rest();                           // records what the sliders were left at
  void forget_run();
  void shows(trace::RecordedTrace trace, const std::string& title);
  void greet();
  void command(const std::string& line);
  void show_answer(RunAnswer given);
  void tell_story();
  void show_failing();
  void go_to(const About& there);
  void find_related();
  // actions: app_actions.cpp
  void make_actions();
  void add_command(std::string title, std::vector<KeyPress> keys, const std::string& line, bool is_letter = false);
  void run_again();
  void run_whole();  // every program, however long it takes
  void handle_keys();
  void use_preset(const std::string& preset);
  void leave_story();  // back to the preset that was there before a kernel's story took another
  void use_theme(ThemeName theme);
  void use_scale(int percent);
  int usual_percent() const;  // of the type
  int scale_percent() const;  // larger while presenting
  void change_setting(const std::string& name, const std::string& value);
  void take_settings(const std::vector<std::pair<std::string, std::string>>& settings);  // name, value
  void turn(const Control& control, std::int64_t value);
  void scrub(std::int64_t moment);  // of the whole run, by Findings' number
  void offer_settings();            // to drawings, as controls
  void toggle_breakpoint();
  void run_to_cursor();
  void draw_palette();
  void draw_file_dialog();  // app_files.cpp
  // what stands around the panels: app_frame.cpp
  bool is_compact() const {
    return static_cast<float>(window_.width()) < 820 * workspace_.scale ||
           static_cast<float>(window_.height()) < 520 * workspace_.scale;
  }
  void draw_toolbar();
  // Where all controls would take more rows than are left for panels: one row of each kind, the rest in menus.
  bool is_tight() const {
    return static_cast<float>(window_.width()) < (has_lessons() ? 1400 : 1160) * workspace_.scale;
  }
  bool is_lesson() const { return preferences_.preset == "Lesson"; }
  bool has_lessons() const {  // their panels are there
    return std::ranges::any_of(panels_, [](const auto& p) { return p->name() == std::string_view("Lesson"); });
  }
  void draw_preset_choice();
  void draw_settings_button(const char* label);
  void draw_settings(bool is_one_row);
  bool is_unsaid(const problems::Setting& setting) const;  // as the kernel has it: no value to turn
  void draw_setting(const problems::Setting& setting);
  void draw_error();
  void draw_panes(Box box);
  void draw_pane(Pane& pane);
  void draw_only_pane(Box box);
  void begin_pane(const Box& box, const std::string& name, bool is_in_front = false);
  void focus_pane(int by);
  void draw_panel(View* view);
  void draw_status();

  GlfwWindow& window_;
  Preferences preferences_;
  Workspace workspace_;
  std::map<std::string, Layout> layouts_;
  std::vector<std::unique_ptr<View>> panels_;
  std::vector<Action> actions_;

  Runner runner_;
  std::optional<RecordRequest> request_;  // what was asked for last; none: a recording from a file
  const problems::Problem* problem_ = nullptr;
  std::map<std::string, std::string> values_;  // of the settings, as they stand in the toolbar
  std::map<std::string, std::string> typed_;   // while one is being typed
  std::optional<Error> error_;                 // of the last request; the last good picture stays
  std::optional<RunAnswer> failing_;           // a run that failed after one that went well
  bool has_answer_ = false;
  std::optional<RecordRequest> resting_;  // sliders turned to it, and one is still held
  std::optional<RecordRequest> shown_;    // whose recording is open
  ProgramsRequest wanted_;                // programs on their way
  std::optional<ProgramId> heading_for_;
  std::int64_t heading_step_ = -1;
  bool schedules_recording_ = false;
  About related_to_;  // whose relations the selection holds, at this moment of this recording
  trace::Moment related_at_;
  std::uint64_t related_in_ = 0;
  int frames_to_draw_ = 3;
  bool wants_palette_ = false, wants_file_ = false;
  std::string file_;  // typed in its dialog
  std::string palette_query_;
  int palette_at_ = 0;
  std::function<void()> repeat_;
  std::shared_future<bool> has_gpu_ = std::async(std::launch::async, has_gpu).share();
  float toolbar_height_ = 0, settings_height_ = 0;  // as many lines as the window's width asks for; of the last frame
  std::string title_;                               // of a recording
  std::string empty_text_ = "nothing is open: choose a kernel above";
  std::string status_;  // the status line's last message
  Splitter* dragged_ = nullptr;
  std::string before_story_;    // the preset that the reader has chosen; "": the one that is shown
  bool is_maximized_ = false;   // the panel in front has all the room
  bool is_presenting_ = false;  // for a hall: one panel, large type, nothing around it
};

}  // namespace tl::viz
