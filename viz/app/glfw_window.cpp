#include "viz/app/glfw_window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <set>
#include <utility>

#include "interp/lang/error.h"

namespace tl::viz {

namespace {

constexpr const char* without_a_window =
    "`tilescope debug KERNEL` steps in the terminal, `tilescope export KERNEL --panel order -o F.html` draws into a "
    "file; over ssh, try `ssh -X` or `xvfb-run tilescope view ... --screenshot F.png`";

std::string last_glfw_error() {
  const char* text = nullptr;
  glfwGetError(&text);
  return text ? text : "no reason given";
}

GlfwWindow* self(GLFWwindow* window) { return static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window)); }

}  // namespace

GlfwWindow::GlfwWindow(const WindowOptions& options) {
  if (!glfwInit()) throw Error("no window can be opened: " + last_glfw_error(), without_a_window);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
  for (const int unused : {GLFW_DEPTH_BITS, GLFW_STENCIL_BITS})
    glfwWindowHint(unused, 0);  // software GL pays for them with each frame
  glfwWindowHint(GLFW_VISIBLE, options.is_visible ? GLFW_TRUE : GLFW_FALSE);
  window_ = glfwCreateWindow(options.width, options.height, options.title.c_str(), nullptr, nullptr);
  if (!window_) {
    const std::string why = last_glfw_error();
    glfwTerminate();
    throw Error(
        "no window with OpenGL 3.0 can be opened: " + why,
        std::string("Mesa's software OpenGL suffices (libgl1-mesa-dri). Without a window: ") + without_a_window);
  }
  glfwSetWindowUserPointer(window_, this);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(options.is_visible ? 1 : 0);
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { self(w)->had_input_ = true; });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { self(w)->had_input_ = true; });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { self(w)->had_input_ = true; });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { self(w)->had_input_ = true; });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    self(w)->had_input_ = true;
    self(w)->dropped_.assign(paths, paths + count);
  });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { self(w)->had_input_ = true; });
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;  // the layout is ours to keep
  ImGui::GetIO().ConfigDragClickToInputText = true;
  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  // Replaces the backend's callback, which keeps one level per key and reads it once a frame: a tap within one frame
  // would be lost.
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
    self(w)->had_input_ = true;
    self(w)->edges_.push_back({.key = key, .scancode = scancode, .action = action, .modifiers = modifiers});
    if (action != GLFW_RELEASE) self(w)->keys_.push_back({key, modifiers & (shift | control | alt)});
  });
  // In order with the keys, for the same reason: ImGui takes a frame's characters before its keys, and what is typed
  // behind a Return would stand before it.
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned character) {
    self(w)->had_input_ = true;
    self(w)->edges_.push_back({.character = character});
  });
  ImGui_ImplOpenGL3_Init("#version 130");
}

GlfwWindow::~GlfwWindow() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

bool GlfwWindow::should_close() const { return glfwWindowShouldClose(window_); }
void GlfwWindow::close() { glfwSetWindowShouldClose(window_, GLFW_TRUE); }

float GlfwWindow::monitor_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::max(x, y);
}

int GlfwWindow::width() const {
  int w = 0, h = 0;
  glfwGetFramebufferSize(window_, &w, &h);
  return w;
}

int GlfwWindow::height() const {
  int w = 0, h = 0;
  glfwGetFramebufferSize(window_, &w, &h);
  return h;
}

void GlfwWindow::wait_events(double seconds) { glfwWaitEventsTimeout(seconds); }
void GlfwWindow::poll_events() { glfwPollEvents(); }
void GlfwWindow::wake() { glfwPostEmptyEvent(); }
std::vector<KeyPress> GlfwWindow::take_key_presses() { return std::exchange(keys_, {}); }
std::vector<std::string> GlfwWindow::take_dropped_files() { return std::exchange(dropped_, {}); }

Fonts GlfwWindow::fonts(float pixels) {
  if (pixels == font_pixels_) return fonts_;
  font_pixels_ = pixels;
  fonts_ = glyphs_.load(pixels);
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
  return fonts_;
}

// Return, Backspace, an arrow, Ctrl+V: it moves or changes text that was typed before it.
bool GlfwWindow::Edge::edits() const {
  const bool is_function = key >= GLFW_KEY_ESCAPE && key < GLFW_KEY_LEFT_SHIFT;
  return action != GLFW_RELEASE && (is_function || (modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)));
}

// To ImGui go as many edges as keep each key's level for a frame, and the characters before the first key that edits;
// the rest waits for the next.
void GlfwWindow::deliver_edges() {
  std::vector<Edge> waiting;
  std::set<int> moved;
  bool keys_wait = false, characters_wait = false;
  for (const Edge& e : edges_) {
    if (e.character) {
      keys_wait |= characters_wait;  // those behind a character that waits
      if (characters_wait) waiting.push_back(e);
      else ImGui_ImplGlfw_CharCallback(window_, e.character);
    } else {
      keys_wait |= !moved.insert(e.key).second;
      characters_wait |= e.edits();
      if (keys_wait) waiting.push_back(e);
      else ImGui_ImplGlfw_KeyCallback(window_, e.key, e.scancode, e.action, e.modifiers);
    }
  }
  edges_ = std::move(waiting);
}

void GlfwWindow::begin_frame() {
  deliver_edges();
  had_input_ = !edges_.empty();
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700  // later versions accept it from their backend alone
  // The backend asks how the keyboard is now; Ctrl+A in one tap was let go by then.
  ImGuiIO& io = ImGui::GetIO();
  const auto is_down = [&](int left, int right) { return io.KeysDown[left] || io.KeysDown[right]; };
  io.KeyShift = is_down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyCtrl = is_down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyAlt = is_down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
#endif
  ImGui::NewFrame();
}

void GlfwWindow::render() {
  ImGui::Render();
  if (draws_nothing_) return;
  glViewport(0, 0, width(), height());
  const ImVec4 back = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
  glClearColor(back.x, back.y, back.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void GlfwWindow::finish() const { glFinish(); }
void GlfwWindow::present() { glfwSwapBuffers(window_); }

ImTextureID GlfwWindow::make_texture(std::int64_t width, std::int64_t height, const std::vector<std::uint32_t>& rgba) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);  // a cell is a square, not a blur
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, static_cast<GLsizei>(width), static_cast<GLsizei>(height), 0, GL_RGBA,
               GL_UNSIGNED_BYTE, rgba.data());
  return reinterpret_cast<ImTextureID>(static_cast<std::intptr_t>(name));
}

void GlfwWindow::drop_texture(ImTextureID texture) {
  const auto name = static_cast<GLuint>(reinterpret_cast<std::intptr_t>(texture));
  glDeleteTextures(1, &name);
}

std::vector<std::uint8_t> GlfwWindow::pixels() const {
  const int w = width(), h = height();
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 3), top_down(rows.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadBuffer(GL_BACK);
  glReadPixels(0, 0, w, h, GL_RGB, GL_UNSIGNED_BYTE, rows.data());
  const std::size_t pitch = static_cast<std::size_t>(w) * 3;
  for (int y = 0; y < h; ++y)
    std::copy_n(rows.data() + static_cast<std::size_t>(h - 1 - y) * pitch, pitch,
                top_down.data() + static_cast<std::size_t>(y) * pitch);
  return top_down;
}

}  // namespace tl::viz
