// Keys as the window hears them.
#pragma once

namespace tl::viz {

// Keys by GLFW's codes: letters and digits are their capital ASCII.
enum Key : int {
  key_space = 32,
  key_escape = 256,
  key_enter = 257,
  key_tab = 258,
  key_backspace = 259,
  key_right = 262,
  key_left = 263,
  key_down = 264,
  key_up = 265,
  key_page_up = 266,
  key_page_down = 267,
  key_home = 268,
  key_end = 269,
  key_f1 = 290,
  key_f5 = 294,
  key_f9 = 298,
  key_f10 = 299,
  key_f11 = 300,
  key_left_bracket = 91,
  key_right_bracket = 93,
  key_plus = 61,
  key_minus = 45,
  key_0 = 48,
  key_slash = 47,
  keypad_0 = 320,
  keypad_minus = 333,
  keypad_plus = 334
};
enum Modifier : int { shift = 1, control = 2, alt = 4 };

// A key that went down, or repeats.
struct KeyPress {
  int key = 0;
  int modifiers = 0;
  bool operator==(const KeyPress&) const = default;
};

}  // namespace tl::viz
