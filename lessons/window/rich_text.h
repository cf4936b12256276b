// Markdown and coloured terminal text in Dear ImGui: what the lessons' pages are written in.
#pragma once

#include <functional>
#include <string>

#include "viz/panels/workspace.h"

namespace tl::lessons {

// What the reader may click on.
struct TextActions {
  std::function<bool(const std::string& command)> is_command = {};
  std::function<void(const std::string& command)> run = {};
  std::function<bool(const std::string& path)> is_link = {};
  std::function<void(const std::string& path)> follow = {};
};

// Paragraphs wrapped at the pane's width, code set off, tables with lines. Comments and pictures are left out.
void draw_markdown(viz::Workspace& workspace, const std::string& markdown, const TextActions& actions);

// Lines as a terminal shows them, in the fixed-width font; prose is wrapped, what is indented (code, tables) is not.
void draw_coloured(viz::Workspace& workspace, const std::string& text);
std::string without_colours(const std::string& text);

}  // namespace tl::lessons
