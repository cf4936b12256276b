// The pointer in the window: what it hovers lights up everywhere, a click pins, sliders run the kernel or the model
// anew, scrubbers move the moment.
#include "tests/window/open_window.h"

using namespace tl::viz;

TEST_CASE("window: hovering a program selects it, a click pins it, Esc lets it go") {
  NEEDS_X();
  Open open({"transpose", {"m=8", "n=8", "block_m=4", "block_n=4"}, 0});
  PictureView& grid = open.picture("Grid");
  open.point_at(grid, "program/2");
  CHECK(open.app.workspace().selection.hovered.program == 2);
  open.send("click 1");
  open.send("mousemove 5 5");
  CHECK(open.app.workspace().selection.hovered.is_nothing());
  CHECK(open.app.workspace().selection.pinned.program == 2);
  open.send("key Escape");
  CHECK(open.app.workspace().selection.is_nothing());
}

TEST_CASE(
    "window: hovering a cell lights the programs that stored it; a click on it tells its history, a click there goes "
    "there") {
  NEEDS_X();
  Open open(wrong_copy);
  open.app.workspace().command("end");
  PictureView& memory = open.picture("Memory");
  open.point_at(memory, "cell/1/1");
  const Selection& selection = open.app.workspace().selection;
  CHECK(selection.lights({.launch = 0, .program = 0, .lane = 1}));
  CHECK(selection.lights({.launch = 0, .program = 2, .lane = 1}));
  CHECK_FALSE(selection.lights({.launch = 0, .program = 2, .lane = 0}));
  open.send("click 1");
  open.point_at(memory, "touch/1");
  open.send("click 1");
  CHECK(open.session().program().id.x == 1);
  CHECK(selection.pinned.first == 1);
}

TEST_CASE("window: a slider of the drawing changes the drawing, a slider of the kernel runs kernel and model anew") {
  NEEDS_X();
  Open open({"grouped_matmul", {"m=64", "n=64", "k=32", "bm=16", "bn=16", "bk=16", "group_size=2"}, 0});
  PictureView& order = open.picture("Order");
  const std::string before = order.drawing()->title;
  open.drag(order, "first_n", 0.2f, 0.9f);
  CHECK(order.drawing()->title != before);
  const auto generation = open.app.workspace().generation;
  open.drag(order, "group_size", 0.1f, 0.9f);  // of 1 to 16, also while it is held
  CHECK(open.app.workspace().model->sizes.at("group_size") > 8);
  CHECK(open.app.workspace().model->sizes.at("group_size") < 16);
  CHECK(open.app.workspace().generation > generation);
}

TEST_CASE("window: a click on a config's dot takes its settings") {
  NEEDS_X();
  Open open({"softmax", {"rows=64", "cols=128"}, 0});
  PictureView& tuning = open.picture("Tuning");
  REQUIRE(tuning.drawing());
  const auto& shapes = tuning.drawing()->shapes;
  const auto other = std::find_if(shapes.rbegin(), shapes.rend(), [](const Shape& s) {  // the last one lies on top
    return !s.takes.empty() && s.stroke.role != Role::ink;
  });
  REQUIRE(other != shapes.rend());
  const std::string id = other->id;
  open.point_at(tuning, id);
  open.send("click 1");
  CHECK(Open::shape(tuning, id).stroke.role == Role::ink);
}

TEST_CASE("window: the timeline's scrubber walks all programs' steps") {
  NEEDS_X();
  Open open({"add", {"n=1000", "block=128"}, 0});
  PictureView& timeline = open.picture("Timeline");
  open.drag(timeline, "moment", 0.f, 0.5f);
  CHECK(open.session().now().program > 1);
  CHECK(open.session().now().program < 6);
}

TEST_CASE("window: while a slider is held the model follows, and the kernel runs once, where it is let go") {
  NEEDS_X();
  Open open({"grouped_matmul", {"m=64", "n=64", "k=32", "bm=16", "bn=16", "bk=16", "group_size=2"}, 0});
  PictureView& order = open.picture("Order");
  const auto generation = open.app.workspace().generation;
  const std::size_t said = open.app.workspace().console.size();
  const ImVec4 box = order.place_of_control("group_size");
  const auto place = [&](float share) { return Open::at({box.x + share * box.z, box.y + box.w / 2}); };
  open.send("mousemove " + place(0.2f) + " mousedown 1");
  for (const float share : {0.4f, 0.6f, 0.8f}) open.send("mousemove " + place(share));
  CHECK(open.app.workspace().model->sizes.at("group_size") > 8);
  CHECK(open.app.workspace().generation == generation);
  open.send("mouseup 1");
  CHECK(open.app.workspace().generation == generation + 1);
  CHECK(open.app.workspace().console.size() == said);
}

TEST_CASE("window: of a run that would take long the first program has values, and any other once one goes there") {
  NEEDS_X();
  Open open({"grouped_matmul", {"m=4096", "n=4096", "k=4096", "bm=128", "bn=128", "bk=64"}, 0});
  CHECK(open.session().trace().programs.size() == 2);  // the second one says in what order they go
  CHECK(open.app.workspace().model->own.programs.size() == 1024);
  const auto has_values = [&] {
    const auto& values = open.session().program().values;
    return std::ranges::any_of(values, [](const auto& v) { return v.form == tl::trace::Form::dense; });
  };
  CHECK(has_values());
  open.send("key bracketright");
  CHECK(open.session().program().id.x == 1);
  open.app.workspace().command("program 1023");
  open.settle();
  CHECK(open.session().program().id.x == 1023);
  CHECK(has_values());
  CHECK(open.session().trace().programs.size() == 3);
  open.app.workspace().command("program 1024");
  CHECK(open.app.workspace().console.back().output.find("the grid is 1024 x 1 x 1") != std::string::npos);
}

TEST_CASE("window: a program beyond those that keep their values gets them when one goes there") {
  NEEDS_X();
  Open open({"add", {"n=1000", "block=8"}, 0});
  REQUIRE(open.session().trace().programs[124].keep == tl::trace::Keep::accesses);
  open.app.workspace().command("program 124");
  open.settle();
  CHECK(open.session().program().id.x == 124);
  CHECK(open.session().program().keep == tl::trace::Keep::values);
  CHECK(open.session().trace().programs.size() == 125);
}

TEST_CASE("window: a run that takes too long is stopped, and what was recorded by then is shown") {
  NEEDS_X();
  Open open(wrong_copy);
  open.app.open(RecordRequest{"matmul", {"m=4096", "n=4096", "k=4096"}, 0, true});
  const auto one_frame = [&] {
    open.window.wait_events(0.02);
    open.app.frame();
    open.window.present();
  };
  for (int i = 0; i < 10; ++i) one_frame();
  CHECK(open.app.is_busy());
  const auto send = [&](const std::string& events) {
    server().send(events);
    usleep(100'000);
    for (int i = 0; i < 4; ++i) one_frame();
  };
  send("key ctrl+p");
  send("type 'stop the run'");
  send("key Return");
  open.settle();
  const auto& error = open.app.error();  // a slow machine may be stopped while it still makes the inputs
  CHECK((!error || std::string(error->what()).starts_with("stopped before the end")));
  CHECK(open.session().trace().programs.size() < 4096);
}
