// A window on an X server of the tests' own, with a kernel open; keys and the mouse are real events.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <set>

#include "tests/window/x_server.h"
#include "viz/app/app.h"
#include "viz/panels/picture_view.h"

namespace tl::viz {

// One server for all cases; the window is the whole screen, so that places are the same in both.
inline XServer& server() {
  static XServer s;
  return s;
}

inline const RecordRequest wrong_copy{"copy_wrong_offsets", {"n=6", "block=2"}, 0};

struct Open {
  GlfwWindow window{{"test", 1280, 800, true}};
  App app{window, fixed()};

  static Preferences fixed() {
    Preferences p;
    p.scale_percent = 100;
    return p;
  }
  explicit Open(const RecordRequest& request) {
    server().send("mousemove 5 5");
    app.open(request);
    settle();
    session().go({0, 0});  // a window opens where there is something to see
    settle();
  }
  // Software draws: a frame takes it longer than all else that the window does, and only the last one counts.
  void settle() {
    window.draw_nothing(true);
    for (int i = 0; i < 5 || app.is_busy() || app.needs_frame(); ++i) {
      window.wait_events(0.02);
      app.frame();
    }
    window.draw_nothing(false);
    app.frame();
    window.present();
  }
  void send(const std::string& events) {
    server().send(events);
    usleep(50'000);  // let the server hand the events over
    settle();
  }
  // A drawing's panel, brought to the front.
  PictureView& picture(const std::string& name) {
    app.show(name);
    settle();
    return dynamic_cast<PictureView&>(*app.panel(name));
  }
  static const Shape& shape(PictureView& view, const std::string& id) {
    for (const Shape& s : view.drawing()->shapes)
      if (s.id == id) return s;
    throw std::runtime_error("no shape " + id);
  }
  static std::string at(ImVec2 place) {
    return std::to_string(static_cast<int>(place.x)) + " " + std::to_string(static_cast<int>(place.y));
  }
  void point_at(PictureView& view, const std::string& id) { send("mousemove " + at(view.place_of(shape(view, id)))); }
  // Presses a drawing's slider at one share of its length and lets go at another.
  void drag(PictureView& view, const std::string& control, float from, float to) {
    const ImVec4 box = view.place_of_control(control);  // x, y, width, height
    const auto place = [&](float share) { return at({box.x + 4 + share * (box.z - 8), box.y + box.w / 2}); };
    send("mousemove " + place(from) + " mousedown 1");
    send("mousemove " + place(to));
    send("mouseup 1");
  }
  tl::debug::Session& session() { return app.workspace().debugger->session(); }
  // How many colours the middle of a pane holds: one alone means an empty pane.
  std::size_t colours_in(const Box& box) {
    app.frame();
    const auto pixels = window.pixels();
    window.present();
    std::set<std::uint32_t> found;
    for (int y = static_cast<int>(box.y) + 30; y < static_cast<int>(box.y + box.height) - 4; y += 2)
      for (int x = static_cast<int>(box.x) + 6; x < static_cast<int>(box.x + box.width) - 6; x += 2) {
        const std::size_t at = 3 * (static_cast<std::size_t>(y) * 1280 + static_cast<std::size_t>(x));
        found.insert(static_cast<std::uint32_t>(pixels[at] << 16 | pixels[at + 1] << 8 | pixels[at + 2]));
      }
    return found.size();
  }
};

#define NEEDS_X()                               \
  if (!server().why_not().empty()) {            \
    MESSAGE("skipped: " << server().why_not()); \
    return;                                     \
  }

}  // namespace tl::viz
