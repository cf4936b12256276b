// The window: GLFW, OpenGL 3 and Dear ImGui's two backends, used nowhere else. Keys arrive as edges, so that none is
// lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viz/app/glyphs.h"
#include "viz/panels/keys.h"
#include "viz/panels/workspace.h"

struct GLFWwindow;

namespace tl::viz {

struct WindowOptions {
  std::string title;
  int width = 1600, height = 1000;  // pixels
  bool is_visible = true;
};

class GlfwWindow {
 public:
  // Throws Error: no display, OpenGL older than 3.0.
  explicit GlfwWindow(const WindowOptions& options);
  ~GlfwWindow();
  GlfwWindow(const GlfwWindow&) = delete;

  bool should_close() const;
  void close();
  float monitor_scale() const;
  int width() const;  // of the framebuffer
  int height() const;
  bool is_too_small() const { return width() < 320 || height() < 200; }

  // Sleeps until an event comes, `wake` is called from another thread, or the time is over.
  void wait_events(double seconds);
  void poll_events();
  static void wake();
  std::vector<KeyPress> take_key_presses();
  std::vector<std::string> take_dropped_files();
  bool had_input() const { return had_input_; }  // since the last frame

  // Text `pixels` high; rebuilt when that changes. Without DejaVu on the machine, ImGui's own font stands for all
  // three.
  Fonts fonts(float pixels);
  // Whether fonts have the characters of texts to be shown: "", or what to install.
  std::string need_glyphs_of(std::string_view text) {
    if (glyphs_.need(text)) font_pixels_ = 0;
    return glyphs_.advice();
  }
  void begin_frame();
  // Frames are computed and not drawn: a test looks at the last of several.
  void draw_nothing(bool nothing) { draws_nothing_ = nothing; }
  void render();
  std::vector<std::uint8_t> pixels() const;  // between render and present: rows from the top, 3 bytes a pixel
  void finish() const;                       // waits until what was rendered is there; for timings
  void present();

  ImTextureID make_texture(std::int64_t width, std::int64_t height, const std::vector<std::uint32_t>& rgba);
  void drop_texture(ImTextureID texture);

 private:
  // A key goes down or up, or a character is typed.
  struct Edge {
    int key = 0, scancode = 0, action = 0, modifiers = 0;
    unsigned character = 0;
    bool edits() const;
  };
  void deliver_edges();

  GLFWwindow* window_ = nullptr;
  std::vector<Edge> edges_;  // not yet seen by ImGui
  std::vector<KeyPress> keys_;
  bool had_input_ = true, draws_nothing_ = false;
  std::vector<std::string> dropped_;
  Glyphs glyphs_;
  float font_pixels_ = 0;
  Fonts fonts_;
};

}  // namespace tl::viz
