// What a learner has done, as plain text that may be read, edited and deleted.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lessons/runner/lesson.h"

namespace tl::lessons {

struct LessonProgress {
  int checks = 0, hints = 0;  // asked for
  bool passed = false, saw_solution = false;
  std::string prediction;  // as it was given; "": none yet
  bool predicted_right = false;
};

struct Progress {
  std::map<std::string, LessonProgress> lessons;  // by folder
  std::string current;                            // the folder last worked on
  std::vector<std::string> notes;                 // a damaged file that was put aside

  const LessonProgress& of(const Lesson& lesson) const;
  // The one last worked on, unless it passed; then the next one that did not; the first when all did.
  const Lesson& next() const;
  const Lesson& next_of(const std::vector<Lesson>& list) const;  // the same, of all() or puzzles()
};

std::filesystem::path progress_file();
// Lines that cannot be read are told in `notes`; the file that held them is kept aside.
Progress load_progress();
// What a step of a lesson leaves in the progress; terminal and window call the same.
Progress keep_check(const Lesson& lesson, bool passed);
Progress keep_hint(const Lesson& lesson, int hints_there_are);
Progress keep_solution_seen(const Lesson& lesson);
Progress keep_prediction(const Lesson& lesson, const std::string& guess, bool is_right);  // the first one counts
// Reads, changes, writes, with other copies of the program kept out meanwhile. Throws Error: a full disk.
Progress change_progress(const Lesson& lesson, const std::function<void(LessonProgress&)>& change);

}  // namespace tl::lessons
