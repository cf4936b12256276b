#include "lessons/window/lesson_view.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "lessons/runner/command_words.h"
#include "lessons/runner/files.h"
#include "lessons/runner/pages.h"
#include "lessons/runner/readme.h"
#include "lessons/window/rich_text.h"

namespace tl::lessons {

using viz::Role;
using viz::Workspace;

void LessonView::draw(Workspace& workspace) {
  draw_list(workspace);
  draw_notes(workspace);
  ImGui::Separator();
  ImGui::BeginChild("lesson", {0, 0});
  const Lesson& lesson = bench_.lesson();
  if (shown_ != &lesson) {
    ImGui::SetScrollY(0);
    guess_.clear();
    guesses_.clear();
    shown_ = &lesson;
    frames_to_focus_ = 2;
  }
  const TextActions actions{
      is_command,
      [&](const std::string& command) {
        command.starts_with("tilescope learn check") ? bench_.check() : bench_.run(command);
      },
      [&](const std::string& path) { return bench_.can_show(path); },
      [&](const std::string& path) { bench_.show_file(path); },
  };
  ImGui::PushFont(workspace.fonts.bold);
  ImGui::TextWrapped("%s", heading_text(lesson).c_str());
  ImGui::PopFont();
  int id = 0;
  bool is_over = false;  // the rest comes with the prediction
  for (const Section& section : read_readme(lesson.page("README.md", language())).sections) {
    if (is_over) break;
    if (section.is("Mend")) draw_questions(workspace, true, actions);
    ImGui::PushID(id++);
    if (!section.heading.empty()) {
      ImGui::Dummy({0, 6 * workspace.scale});
      ImGui::PushFont(workspace.fonts.bold);
      ImGui::TextUnformatted(section.heading.c_str());
      ImGui::PopFont();
    }
    draw_markdown(workspace, section.text, actions);
    if (section.is("Predict")) {
      draw_prediction(workspace);
      is_over = !bench_.answer();
    }
    ImGui::PopID();
  }
  if (!is_over) draw_questions(workspace, false, actions);
  if (const Lesson* next = lesson_after(lesson); next && !is_over) {
    ImGui::Dummy({0, 6 * workspace.scale});
    if (ImGui::Button(fmt::format("Next {}: {}", next->is_puzzle() ? "puzzle" : "lesson", next->name()).c_str()))
      bench_.open(*next);
  }
  ImGui::EndChild();
}

// One row, so that a lesson's text has the room: the list, those before and after, the way to the puzzles or back.
void LessonView::draw_list(Workspace& workspace) {
  const bool are_puzzles = bench_.lesson().is_puzzle();
  const auto& lessons = list_of(bench_.lesson());
  const auto label = [](const Lesson& lesson) { return fmt::format("{} {}", lesson.number(), lesson.name()); };
  const Lesson* chosen = nullptr;
  ImGui::SetNextItemWidth(190 * workspace.scale);
  if (ImGui::BeginCombo("##lesson", label(bench_.lesson()).c_str(), ImGuiComboFlags_HeightLarge)) {
    for (const Lesson& lesson : lessons) {
      const LessonProgress& progress = bench_.progress().of(lesson);
      if (progress.passed) ImGui::PushStyleColor(ImGuiCol_Text, workspace.colour(Role::good));
      const std::string words = label(lesson) + (progress.passed ? ": passed" : progress.checks > 0 ? ": begun" : "");
      if (ImGui::Selectable(words.c_str(), &lesson == &bench_.lesson())) chosen = &lesson;
      if (progress.passed) ImGui::PopStyleColor();
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", lesson.title.c_str());
    }
    ImGui::EndCombo();
  }
  const auto step = [&](const char* sign, std::ptrdiff_t by) {
    const auto at = &bench_.lesson() - lessons.data() + by;
    ImGui::SameLine();
    ImGui::BeginDisabled(at < 0 || at >= std::ssize(lessons));
    if (ImGui::Button(sign)) chosen = &lessons[static_cast<std::size_t>(at)];
    ImGui::EndDisabled();
  };
  step("\u25c0", -1);
  step("\u25b6", 1);
  ImGui::SameLine();
  if (ImGui::Button(are_puzzles ? "to the lessons" : "to the puzzles"))
    chosen = are_puzzles ? &bench_.progress().next() : &bench_.progress().next_of(puzzles());
  const auto passed =
      std::ranges::count_if(lessons, [&](const Lesson& lesson) { return bench_.progress().of(lesson).passed; });
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", fmt::format("{} of {} passed", passed, lessons.size()).c_str());
  if (chosen) bench_.open(*chosen);
}

void LessonView::draw_notes(Workspace& workspace) {
  if (bench_.notes().empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, workspace.colour(Role::fault));
  for (const std::string& note : bench_.notes()) ImGui::TextWrapped("%s", note.c_str());
  ImGui::PopStyleColor();
  if (ImGui::SmallButton("seen")) bench_.forget_notes();
}

// What was asked for comes below the question, perhaps below the pane's end.
void LessonView::scroll_to_answer(int question) {
  if (awaited_ != question) return;
  awaited_.reset();
  if (ImGui::GetCursorScreenPos().y > ImGui::GetWindowPos().y + ImGui::GetWindowHeight()) ImGui::SetScrollHereY(1);
}

void LessonView::draw_prediction(Workspace& workspace) {
  const Prediction& prediction = bench_.lesson().prediction;
  ImGui::Dummy({0, 2 * workspace.scale});
  if (const auto& answer = bench_.answer()) {
    draw_coloured(workspace,
                  prediction_text(prediction, *answer, bench_.guess(), report::Paint{true}, &bench_.lesson()));
    return scroll_to_answer(-1);
  }
  if (bench_.is_busy()) return ImGui::TextDisabled("%s", bench_.busy_text().c_str());
  const bool takes_focus = frames_to_focus_ > 0 && --frames_to_focus_ == 0;  // a lesson begins with the prediction
  if (const auto guess = draw_guess(workspace, prediction, guess_, "Predict", takes_focus)) {
    awaited_ = -1;
    bench_.predict(*guess);
  }
}

// Choices, a field, a button; what was given, "" for just show me.
std::optional<std::string> LessonView::draw_guess(Workspace& workspace, const Prediction& prediction,
                                                  std::string& guess, const char* label, bool takes_focus) {
  std::optional<std::string> given;
  for (const std::string& choice : prediction.choices) {
    if (ImGui::Button(choice.c_str())) given = choice;
    ImGui::SameLine();
  }
  ImGui::SetNextItemWidth(140 * workspace.scale);
  if (takes_focus) ImGui::SetKeyboardFocusHere();
  bool is_given = ImGui::InputTextWithHint("##guess", prediction.choices.empty() ? "your answer" : "or another", &guess,
                                           ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  is_given |= ImGui::Button(label);
  if (is_given && is_answer(prediction, guess)) given = guess;
  ImGui::SameLine();
  if (ImGui::Button("just show me")) given = "";
  return given;
}

void LessonView::draw_questions(Workspace& workspace, bool before, const TextActions& actions) {
  const auto& all = bench_.questions();
  guesses_.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Question& q = all[i];
    if (q.is_before() != before) continue;
    ImGui::PushID(static_cast<int>(1000 + i));
    ImGui::Dummy({0, 6 * workspace.scale});
    ImGui::PushFont(workspace.fonts.bold);
    ImGui::TextUnformatted(heading_of(q).c_str());
    ImGui::PopFont();
    draw_markdown(workspace, q.text, actions);
    if (const Workbench::Answered* answered = bench_.answered(i)) {
      draw_coloured(workspace, prediction_text(q.prediction, answered->answer, answered->guess, report::Paint{true},
                                               &bench_.lesson()));
      scroll_to_answer(static_cast<int>(i));
    } else if (bench_.is_busy()) ImGui::TextDisabled("%s", bench_.busy_text().c_str());
    else if (q.whole) {
      if (ImGui::Button("Show the run")) bench_.show(i);
    } else if (const auto guess = draw_guess(workspace, q.prediction, guesses_[i], "Answer")) {
      awaited_ = static_cast<int>(i);
      bench_.ask(i, *guess);
    }
    ImGui::PopID();
  }
}

std::string LessonView::text(Workspace&) {
  std::string all = bench_.lesson().page("README.md", language());
  if (const auto& answer = bench_.answer())
    all += "\n" +
           prediction_text(bench_.lesson().prediction, *answer, bench_.guess(), report::Paint{false}, &bench_.lesson());
  return all;
}

}  // namespace tl::lessons
