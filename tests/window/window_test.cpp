// The window under a real X server: keys and clicks, checked by what the models then hold and by the picture's pixels.
#include <doctest/doctest.h>
#include <imgui.h>

#include "tests/window/open_window.h"

using namespace tl::viz;

TEST_CASE("window: F10 steps over, Shift+F10 steps back to the same moment") {
  NEEDS_X();
  Open open(wrong_copy);
  const auto start = open.session().now();
  open.send("key F10 key F10");
  CHECK(open.session().now().step > start.step + 1);
  open.send("key shift+F10 key shift+F10");
  CHECK(open.session().now() == start);
}

TEST_CASE("window: a click into the gutter sets a breakpoint, F5 runs to it, Shift+F5 runs back") {
  NEEDS_X();
  Open open(wrong_copy);
  const Box source = open.app.layout().panes()[0].box;
  open.send("mousemove " + std::to_string(static_cast<int>(source.x) + 14) + " " +
            std::to_string(static_cast<int>(source.y) + 260) + " click 1");
  REQUIRE(open.session().breakpoints().size() == 1);
  const int line = open.session().breakpoints().front().line;
  open.send("mousemove 5 5 key F5");
  CHECK(open.app.workspace().console.back().output.find("Breakpoint 1") != std::string::npos);
  open.send("key F5 key shift+F5");
  CHECK(open.session().now().program == 0);
  CHECK(line > 8);
}

TEST_CASE("window: a click on a line's number sets a breakpoint, too") {
  NEEDS_X();
  Open open(wrong_copy);
  const Box source = open.app.layout().panes()[0].box;
  open.send("mousemove " + std::to_string(static_cast<int>(source.x) + 44) + " " +
            std::to_string(static_cast<int>(source.y) + 260) + " click 1");
  CHECK(open.session().breakpoints().size() == 1);
}

TEST_CASE("window: a click into a number takes typing, which is no command of the debugger") {
  NEEDS_X();
  Open open(wrong_copy);
  open.send("mousemove 60 52 click 1");
  open.send("key ctrl+a");
  open.send("type 12c");
  open.send("key Return");
  CHECK(open.session().launch().tensors.front().storage_elems == 12);
  CHECK(open.session().now().step == 0);
}

TEST_CASE("window: a double click on a tab, or Ctrl+M, gives a panel all the room, and Ctrl+M puts it back") {
  NEEDS_X();
  Open open(wrong_copy);
  PictureView& memory = open.picture("Memory");
  const float before = memory.drawing()->width;
  open.send("key ctrl+m");
  CHECK(memory.drawing()->width > 1.5f * before);
  open.send("key ctrl+m");
  CHECK(memory.drawing()->width == before);
  const Box box = open.app.layout().panes()[0].box;
  open.send("mousemove " + std::to_string(static_cast<int>(box.x) + 25) + " " +
            std::to_string(static_cast<int>(box.y) + 14) + " click --repeat 2 1");
  CHECK(open.app.layout().front() == "Source");
  open.send("key ctrl+m");
  CHECK(memory.drawing()->width == before);
}

TEST_CASE("window: F1 lists what there is to do") {
  NEEDS_X();
  Open open(wrong_copy);
  open.send("key F1");
  open.send("type 'preset compare'");
  open.send("key Return");
  CHECK(open.app.preferences().preset == "Compare");
}

TEST_CASE("window: ] and [ walk the programs, letters work while no text field has the focus") {
  NEEDS_X();
  Open open(wrong_copy);
  open.send("key bracketright");
  CHECK(open.session().program().id.x == 1);
  open.send("key bracketleft key n");
  CHECK(open.session().program().id.x == 0);
  CHECK(open.session().now().step > 0);
}

TEST_CASE("window: what is typed into the console is a command of the debugger, not a key") {
  NEEDS_X();
  Open open(wrong_copy);
  const Box console = open.app.layout().panes()[1].box;
  open.send("mousemove " + std::to_string(static_cast<int>(console.x) + 100) + " " +
            std::to_string(static_cast<int>(console.y + console.height) - 18) + " click 1");
  open.send("type 'p 1 + 2'");
  open.send("key Return");
  const ConsoleEntry& last = open.app.workspace().console.back();
  CHECK(last.command == "p 1 + 2");
  CHECK(last.output.find("3") != std::string::npos);
  CHECK(open.session().now().step == 0);
}

TEST_CASE("window: what is typed within one frame arrives in its order, keys that edit among the letters") {
  NEEDS_X();
  Open open(wrong_copy);
  const Box console = open.app.layout().panes()[1].box;
  open.send("mousemove " + std::to_string(static_cast<int>(console.x) + 100) + " " +
            std::to_string(static_cast<int>(console.y + console.height) - 18) + " click 1");
  open.send("type --args 1 'p 19' key BackSpace type --args 1 2 key Home key Delete type --args 1 print key Return");
  CHECK(open.app.workspace().console.back().command == "print 12");
}

TEST_CASE("window: Ctrl+A in one tap selects what was typed, and the next word replaces it") {
  NEEDS_X();
#if IMGUI_VERSION_NUM >= 18700
  MESSAGE("left out: the backend of Dear ImGui "
          << IMGUI_VERSION << " asks how the keyboard is now, and loses the Ctrl of a tap shorter than a frame");
  return;
#endif
  Open open(wrong_copy);
  const Box console = open.app.layout().panes()[1].box;
  open.send("mousemove " + std::to_string(static_cast<int>(console.x) + 100) + " " +
            std::to_string(static_cast<int>(console.y + console.height) - 18) + " click 1");
  open.send("type 'p 1'");
  open.send("key ctrl+a");
  open.send("type 'p 2'");
  open.send("key Return");
  CHECK(open.app.workspace().console.back().command == "p 2");
}

TEST_CASE("window: Ctrl+P finds an action by its words and carries it out") {
  NEEDS_X();
  Open open(wrong_copy);
  open.send("key ctrl+p");
  open.send("type 'preset compare'");
  open.send("key Return");
  CHECK(open.app.preferences().preset == "Compare");
}

TEST_CASE("window: a setting that does not fit is told, and the last good picture stays") {
  NEEDS_X();
  Open open(wrong_copy);
  const auto before = open.app.workspace().generation;
  open.app.workspace().command("n");
  CHECK_THROWS_AS(open.app.open(RecordRequest{"copy_wrong_offsets", {"n=-3"}, 0}), tl::Error);
  open.settle();
  CHECK(open.app.workspace().generation == before);
  CHECK(open.session().now().step > 0);
}

TEST_CASE("window: every panel draws something in every preset and theme") {
  NEEDS_X();
  Open open({"add", {"n=1000", "block=256"}, 0});
  for (const std::string& name : open.app.panel_names()) {
    open.app.show(name);
    open.settle();
    for (const Pane& p : open.app.layout().panes())
      if (p.tabs[static_cast<std::size_t>(p.active)] == name) CHECK_MESSAGE(open.colours_in(p.box) > 1, name);
  }
}

TEST_CASE("window: beside the chip stands the order, and where a kernel has none the grid, unless one was asked for") {
  NEEDS_X();
  Open open({"grouped_matmul", {"m=64", "n=64", "k=32", "bm=16", "bn=16", "bk=16"}, 0});
  const auto shown = [&] {
    const Pane& large = open.app.layout().panes()[0];
    return large.tabs[static_cast<std::size_t>(open.app.shown_tab(large))];
  };
  open.send("key ctrl+2");
  CHECK(shown() == "Order");
  open.app.open({"transpose", {"m=64", "n=64"}, 0});
  open.settle();
  CHECK(shown() == "Grid");
  open.app.show("Order");
  CHECK(shown() == "Order");
}

TEST_CASE("window: a kernel in groups opens with its order beside the chip, and the next one as it was before") {
  NEEDS_X();
  Open open({"grouped_matmul", {"m=4096", "n=4096", "k=4096", "bm=128", "bn=128", "bk=64"}, 0});
  const auto is_shown = [&](const std::string& panel) {
    return std::ranges::any_of(open.app.layout().panes(), [&](const Pane& pane) {
      return pane.tabs[static_cast<std::size_t>(open.app.shown_tab(pane))] == panel;
    });
  };
  CHECK(is_shown("Order"));
  CHECK(is_shown("Chip"));
  open.app.open(wrong_copy);
  open.settle();
  CHECK(is_shown("Offsets"));
  CHECK(open.app.preferences().preset == "Debug");
}

TEST_CASE("window: what is played beside a kernel is on the chip, on one clock, with a tour of the two") {
  NEEDS_X();
  Open open({"grouped_matmul", {"m=256", "n=256", "k=128", "bm=64", "bn=64", "bk=32", "group_size=2"}, 0});
  open.app.play_beside("group_size=1");
  open.app.show("Chip");
  open.settle();
  CHECK(
      open.app.panel("Chip")->text(open.app.workspace()).find("group_size=1 on the left, group_size=2 on the right") !=
      std::string::npos);
  CHECK_THROWS_AS(open.app.play_beside("group_size=0"), tl::Error);
}

TEST_CASE("window: a recording has the model's schedule, too") {
  NEEDS_X();
  Open open(wrong_copy);
  const std::atomic<bool> stop = false;
  open.app.open(answer_to({"add", {"n=1000", "block=256"}, 0}, stop).trace, "a recording");
  open.app.schedule_recording();
  open.settle();
  REQUIRE(open.app.workspace().model);
  CHECK(open.app.workspace().model->own.programs.size() == 4);
}

TEST_CASE("window: n steps forwards and n steps back give the same picture") {
  NEEDS_X();
  Open open({"add", {"n=1000", "block=256"}, 0});
  open.app.go_to_step(4);
  open.settle();
  const auto picture = [&] {
    std::string all;
    for (const std::string& name : open.app.panel_names())
      if (name != "Console") all += open.app.panel(name)->text(open.app.workspace());
    return all;
  };
  const auto pixels = [&] {
    open.app.frame();
    auto all = open.window.pixels();
    open.window.present();
    const Box console = open.app.layout().panes()[1].box;  // tells what was done
    for (int y = static_cast<int>(console.y); y < 800; ++y)
      std::fill_n(all.begin() + 3 * (y * 1280), 3 * static_cast<int>(console.x + console.width), std::uint8_t{0});
    return all;
  };
  const std::string before = picture();
  const auto seen = pixels();
  open.send("key Right key Right key Right");
  CHECK(picture() != before);
  CHECK(pixels() != seen);
  open.send("key Left key Left key Left");
  CHECK(picture() == before);
  CHECK(pixels() == seen);
}

TEST_CASE("window: a presenter's mode shows one panel in large type, and goes back to what there was") {
  NEEDS_X();
  Open open(wrong_copy);
  const float before = open.app.workspace().scale;
  open.send("key ctrl+l");
  CHECK(open.app.workspace().scale > before);
  open.send("key ctrl+l");
  CHECK(open.app.workspace().scale == before);
}

TEST_CASE("window: a file that is dropped is opened, and one that is neither kernel nor recording is told") {
  NEEDS_X();
  Open open(wrong_copy);
  open.app.open_file("add");
  open.settle();
  CHECK(open.app.workspace().kernel == "add");
  open.app.open_file("no_such_file.tltrace");
  open.settle();
  REQUIRE(open.app.error());
  CHECK(std::string(open.app.error()->what()).find("no_such_file") != std::string::npos);
  CHECK(open.app.workspace().kernel == "add");
}

TEST_CASE("window: comments in Chinese have their glyphs where a font has them, else the package is named") {
  NEEDS_X();
  Open open(wrong_copy);
  const std::string advice = open.window.need_glyphs_of("// \u8ba1\u7b97");
  open.settle();
  const bool has_glyph = open.app.workspace().fonts.mono->FindGlyphNoFallback(0x8BA1) != nullptr;
  CHECK(has_glyph == advice.empty());
  if (!has_glyph) CHECK(advice.find("fonts-wqy-microhei") != std::string::npos);
}

TEST_CASE("window: the console greets with the moment at which a kernel opens") {
  NEEDS_X();
  Open open(wrong_copy);
  const std::string greeting = open.app.workspace().console.front().output;
  CHECK(greeting.find("recorded 3 programs") != std::string::npos);
  CHECK_MESSAGE(greeting.find("step 0") == std::string::npos, greeting);
}

TEST_CASE("window: a picture that there is none of says why as soon as that is known") {
  NEEDS_X();
  Open open({"swizzle", {}, 0});
  PictureView& tuning = open.picture("Tuning");
  CHECK(tuning.text(open.app.workspace()).find("declares none") != std::string::npos);
}
