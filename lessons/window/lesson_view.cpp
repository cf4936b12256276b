#include "lessons/window/lesson_view.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

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

// A lesson a button: passed ones bear a tick, the open one is lit.
void LessonView::draw_list(Workspace& workspace) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x,
              tick = 0.6f * ImGui::GetTextLineHeight();
  // The way between lessons and puzzles.
  const bool are_puzzles = bench_.lesson().is_puzzle();
  if (ImGui::SmallButton(are_puzzles ? "to the lessons" : "to the puzzles"))
    bench_.open(are_puzzles ? bench_.progress().next() : bench_.progress().next_of(puzzles()));
  bool is_first = true;
  for (const Lesson& lesson : list_of(bench_.lesson())) {
    const LessonProgress& progress = bench_.progress().of(lesson);
    const std::string label = fmt::format("{} {}", lesson.number(), lesson.name());
    const float width =
        ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x + tick + 4 * workspace.scale;
    if (!is_first && ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width <= right) ImGui::SameLine();
    is_first = false;
    ImGui::PushStyleColor(ImGuiCol_Button,
                          ImGui::GetStyle().Colors[&lesson == &bench_.lesson() ? ImGuiCol_TabActive : ImGuiCol_Tab]);
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
    const bool is_clicked = ImGui::Button(label.c_str(), {width, 0});
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    if (progress.passed) {
      const ImVec2 end = ImGui::GetItemRectMax(), begin = ImGui::GetItemRectMin();
      const float y = (begin.y + end.y) / 2, x = end.x - tick - ImGui::GetStyle().FramePadding.x;
      const ImVec2 points[] = {{x, y}, {x + 0.4f * tick, y + 0.45f * tick}, {x + tick, y - 0.5f * tick}};
      ImGui::GetWindowDrawList()->AddPolyline(points, 3, workspace.colour(Role::good), 0, 2 * workspace.scale);
    }
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\n%s", lesson.title.c_str(),
                        progress.passed       ? "passed"
                        : progress.checks > 0 ? "begun"
                                              : "not begun; none is locked");
    if (is_clicked) bench_.open(lesson);
  }
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
    draw_coloured(workspace, prediction_text(prediction, *answer, bench_.guess(), report::Paint{true}));
    return scroll_to_answer(-1);
  }
  if (bench_.is_busy()) return ImGui::TextDisabled("%s", bench_.busy_text().c_str());
  const bool takes_focus = frames_to_focus_ > 0 && --frames_to_focus_ == 0;  // a lesson begins with the prediction
  if (const auto guess = draw_guess(workspace, prediction, guess_, "Predict", takes_focus))
    awaited_ = -1, bench_.predict(*guess);
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
      draw_coloured(workspace, prediction_text(q.prediction, answered->answer, answered->guess, report::Paint{true}));
      scroll_to_answer(static_cast<int>(i));
    } else if (bench_.is_busy()) ImGui::TextDisabled("%s", bench_.busy_text().c_str());
    else if (q.whole) {
      if (ImGui::Button("Show the run")) bench_.show(i);
    } else if (const auto guess = draw_guess(workspace, q.prediction, guesses_[i], "Answer"))
      awaited_ = static_cast<int>(i), bench_.ask(i, *guess);
    ImGui::PopID();
  }
}

std::string LessonView::text(Workspace&) {
  std::string all = bench_.lesson().page("README.md", language());
  if (const auto& answer = bench_.answer())
    all += "\n" + prediction_text(bench_.lesson().prediction, *answer, bench_.guess(), report::Paint{false});
  return all;
}

}  // namespace tl::lessons
