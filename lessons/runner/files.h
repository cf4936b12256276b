// The learner's own files, never the clone's: a copy of each kernel, and the progress.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

// $TILESCOPE_LESSONS, or tilescope/lessons in $XDG_DATA_HOME, by default ~/.local/share/tilescope/lessons. Throws Error
// where there is no home.
std::filesystem::path learners_folder();

// What the learner writes kernels in: as chosen; else Python where there is no C++ compiler. The choice stands in the
// file `language` of that folder.
Language language();
bool is_language_chosen();
void choose_language(Language);

// The learner's kernel.py or kernel.h of a lesson.
std::filesystem::path kernel_file(const Lesson& lesson);
// The same; a missing one is copied from the starter.
std::filesystem::path started_kernel_file(const Lesson& lesson);
// Puts the starter back; returns where the learner's text was kept, "" where it was the starter already.
std::filesystem::path reset_kernel_file(const Lesson& lesson);

// Writes a text beside `file`, under a name of its own: kernel.WHY_1.py. Returns the path.
std::filesystem::path keep_aside(const std::filesystem::path& file, const std::string& why, const std::string& text);

// Throws Error where there is no regular file, or it cannot be read.
std::string read_file(const std::filesystem::path& file);
// As tl::write_file does; makes the folder if it is missing.
void write_file(const std::filesystem::path& file, const std::string& text);
// Its time and size, which change when it is saved.
std::pair<std::filesystem::file_time_type, std::uintmax_t> stamp_of(const std::filesystem::path& file);
// ~/x for /home/me/x, whichever is shorter.
std::string short_path(const std::filesystem::path& path);

}  // namespace tl::lessons
