// The lessons' window under a real X server: typed, clicked, and looked at.
#include "lessons/window/learn_window.h"

#include <doctest/doctest.h>
#include <imgui_internal.h>

#include <chrono>
#include <functional>
#include <set>

#include "tests/lessons/workshop.h"
#include "tests/window/x_server.h"

using namespace tl;
using namespace tl::lessons;

namespace {

XServer& server() {
  static XServer s;
  return s;
}

struct Open {
  Workshop here;
  viz::GlfwWindow window{{"test", 1280, 800, true}};
  LearnWindow learn{window, fixed(), {.program = TILESCOPE_PROGRAM, .seconds = 60, .gpu = false}};

  static viz::Preferences fixed() {
    viz::Preferences p;
    p.scale_percent = 100;
    return p;
  }
  explicit Open(const char* lesson) {
    server().send("mousemove 5 5");
    learn.open(find(lesson));
    settle();
  }
  void settle() {
    window.draw_nothing(true);
    for (int i = 0; i < 5 || learn.is_busy() || learn.needs_frame(); ++i) {
      window.wait_events(0.02);
      learn.frame();
    }
    window.draw_nothing(false);
    learn.frame();
    window.present();
  }
  // Sends events and draws until they have done what they should: a slow machine takes its time, a quick one does not
  // wait.
  void send(const std::string& events, const std::function<bool()>& is_done) {
    server().send(events);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is_done() && std::chrono::steady_clock::now() < end) settle();
    CHECK_MESSAGE(is_done(), events);
  }
  // Where typed text goes: the cursor's place in the kernel's text, -1 while the text has not the focus.
  int cursor() {
    const ImGuiInputTextState& state = ImGui::GetCurrentContext()->InputTextState;
    return state.ID != 0 && state.ID == ImGui::GetActiveID() &&
                   state.CurLenA == static_cast<int>(learn.bench().text.size())
               ? state.Stb.cursor
               : -1;
  }
  viz::Box pane(std::size_t i) { return learn.app().layout().panes()[i].box; }
};

#define NEEDS_X()                               \
  if (!server().why_not().empty()) {            \
    MESSAGE("skipped: " << server().why_not()); \
    return;                                     \
  }

std::string at(float x, float y) {
  return "mousemove " + std::to_string(static_cast<int>(x)) + " " + std::to_string(static_cast<int>(y)) + " click 1";
}

}  // namespace

TEST_CASE("learn window: every lesson opens on its text, and its picture draws once it was predicted") {
  NEEDS_X();
  Open open("copy");
  for (const Lesson& lesson : all()) {
    open.learn.open(lesson);
    open.learn.bench().predict("");
    open.settle();
    CHECK_MESSAGE(!open.learn.app().error(), lesson.folder);
    REQUIRE_MESSAGE(open.learn.app().workspace().debugger, lesson.folder);
    viz::View* panel = open.learn.app().panel(lesson.picture.panel);
    REQUIRE(panel);
    const std::string text = panel->text(open.learn.app().workspace());
    CHECK_MESSAGE(text.size() > 100, lesson.folder << ": " << text);
  }
}

TEST_CASE("learn window: no two lessons show the same picture, and none a timeline") {
  std::set<std::string> pictures;
  for (const Lesson& lesson : all()) {
    CHECK_MESSAGE(pictures.insert(lesson.picture.text()).second, lesson.folder);
    CHECK_MESSAGE(lesson.picture.panel != "timeline", lesson.folder);
  }
}

TEST_CASE("learn window: the text that is read stays where it is when the picture comes, high up in the window") {
  NEEDS_X();
  Open open("matmul");
  const float before = open.pane(0).y;
  CHECK(before < 60);
  open.learn.bench().predict("");
  open.settle();
  REQUIRE(open.learn.app().workspace().debugger);
  CHECK(open.pane(0).y == before);
}

TEST_CASE("learn window: Ctrl+Z takes back a word") {
  NEEDS_X();
  Open open("copy");
  const viz::Box kernel = open.pane(1);
  Workbench& bench = open.learn.bench();
  open.send(at(kernel.x + 300, kernel.y + 160), [&] { return open.cursor() >= 0; });
  open.send("type 'two words'", [&] { return bench.text.find("two words") != std::string::npos; });
  open.send("keydown ctrl", [] { return ImGui::GetIO().KeyCtrl; });
  server().send("keydown z");  // frame by frame: a key that is held takes back one word after the other
  for (int i = 0; i < 600 && bench.text.find("two words") != std::string::npos; ++i) {
    open.window.wait_events(0.02);
    open.learn.frame();
  }
  CHECK(bench.text.find("two ") != std::string::npos);
  open.send("keyup z keyup ctrl", [] { return !ImGui::GetIO().KeyCtrl; });
}

TEST_CASE("learn window: Ctrl+S saves what was typed and checks it; the focus stays in the text") {
  NEEDS_X();
  Open open("copy");
  const viz::Box kernel = open.pane(1);
  Workbench& bench = open.learn.bench();
  open.send(at(kernel.x + 300, kernel.y + 160), [&] { return open.cursor() >= 0; });
  // Step by step: pressed and released within one frame, ctrl would be up again when End is looked at.
  open.send("keydown ctrl", [] { return ImGui::GetIO().KeyCtrl; });
  open.send("keydown End", [&] { return open.cursor() == static_cast<int>(bench.text.size()); });
  open.send("keyup End keyup ctrl", [] { return !ImGui::GetIO().KeyCtrl; });
  open.send("type '// typed'", [&] { return bench.text.ends_with("// typed"); });
  CHECK(bench.is_modified());
  open.send("key ctrl+s", [&] { return bench.report().has_value(); });
  CHECK(read_file(bench.file()).ends_with("// typed"));
  CHECK(bench.marked_line() == 10);
  open.send("type ' more'", [&] { return bench.text.ends_with("// typed more"); });
}

TEST_CASE("learn window: a newer recording of the learner's kernel keeps program and step") {
  NEEDS_X();
  Open open("copy");
  open.learn.bench().check();
  open.settle();
  auto& workspace = open.learn.app().workspace();
  open.learn.app().workspace().command("program 2");
  open.learn.app().go_to_step(3);
  open.learn.bench().text += "// changed\n";
  open.learn.bench().save();
  open.settle();
  CHECK(workspace.debugger->session().program().id.x == 2);
  CHECK(workspace.debugger->session().now().step == 3);
}

TEST_CASE("learn window: what is typed in Chinese has its glyphs, where a font has them") {
  NEEDS_X();
  Open open("copy");
  const bool is_there = open.window.need_glyphs_of("\u7b97").empty();
  open.learn.bench().text += "// \u6587\n";
  open.settle();
  open.settle();
  CHECK((open.learn.app().workspace().fonts.mono->FindGlyphNoFallback(0x6587) != nullptr) == is_there);
}
