#include "lessons/runner/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "interp/lang/error.h"
#include "lessons/runner/files.h"

namespace tl::lessons {

namespace fs = std::filesystem;

namespace {

constexpr const char* heading =
    "# Lessons of tilescope: a line each, as `tilescope learn progress` shows them. Edit or delete what you like.\n";

// A lock held while a process reads, changes and writes; another process waits.
class Lock {
 public:
  Lock() {
    std::error_code error;  // writing will report the reason
    fs::create_directories(learners_folder(), error);
    fd_ = open((learners_folder() / ".lock").c_str(), O_CREAT | O_RDWR | O_NONBLOCK | O_CLOEXEC, 0644);
    if (fd_ >= 0) flock(fd_, LOCK_EX);  // without a lock one line may be lost
  }
  ~Lock() {
    if (fd_ >= 0) close(fd_);
  }
  Lock(const Lock&) = delete;

 private:
  int fd_ = -1;
};

std::string text_of(const Progress& p) {
  std::string text = heading;
  if (!p.current.empty()) text += "current " + p.current + "\n";
  for (const auto& [folder, l] : p.lessons)
    text += fmt::format("{} checks={} hints={} passed={} solution={} predicted={}{}\n", folder, l.checks, l.hints,
                        l.passed ? "yes" : "no", l.saw_solution ? "seen" : "unseen",
                        l.prediction.empty() ? ""
                        : l.predicted_right  ? "right:"
                                             : "wrong:",
                        l.prediction);
  return text;
}

bool is_folder(const std::string& word) {
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list)
      if (lesson.folder == word) return true;
  return false;
}

int number_of(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    throw Error("no number");
  return std::stoi(text);
}

bool yes_or_no(const std::string& text, const char* yes, const char* no) {
  if (text != yes && text != no) throw Error("neither");
  return text == yes;
}

// Throws Error for a line that this program did not write.
void read_line(const std::string& line, Progress& p) {
  std::istringstream in(line);
  std::string first, word;
  in >> first;
  if (first == "current") {
    in >> p.current;
    if (!is_folder(p.current)) throw Error("no lesson");
    return;
  }
  // A lesson of a newer version is kept as far as it is understood; its name must look like one.
  const std::size_t begins = first.starts_with("puzzles/") ? 8 : 0;
  if (first.size() < begins + 4 || first[begins + 2] != '_') throw Error("no lesson");
  LessonProgress l;
  while (in >> word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) throw Error("no name=value");
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "checks") l.checks = number_of(value);
    else if (name == "hints") l.hints = number_of(value);
    else if (name == "passed") l.passed = yes_or_no(value, "yes", "no");
    else if (name == "solution") l.saw_solution = yes_or_no(value, "seen", "unseen");
    else if (name == "predicted") {
      l.predicted_right = value.starts_with("right:");
      if (!value.empty() && !l.predicted_right && !value.starts_with("wrong:")) throw Error("neither");
      l.prediction = value.empty() ? "" : value.substr(6);
    } else throw Error("no such name");
  }
  p.lessons[first] = l;
}

// Removes control characters, which would disturb a terminal.
std::string printable(std::string line) {
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return line.size() > 60 ? line.substr(0, 60) + "..." : line;
}

Progress read_progress() {
  Progress p;
  const fs::path file = progress_file();
  if (!fs::exists(file)) return p;
  const std::string text = read_file(file);
  std::istringstream in(text);
  int number = 0, damaged = 0;
  std::string first_damaged;
  if (!text.ends_with('\n')) {
    damaged = 1;
    first_damaged = text.empty() ? "it is empty" : "it ends within a line";
  }
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.starts_with("#")) continue;
    try {
      read_line(line, p);
    } catch (const std::exception&) {
      if (damaged++ == 0) first_damaged = fmt::format("line {}: \"{}\"", number, printable(line));
    }
  }
  if (damaged == 0) return p;
  fs::path aside;
  for (int n = 1; aside.empty() || fs::exists(aside); ++n)
    aside = file.parent_path() / fmt::format("progress.damaged_{}.txt", n);
  fs::rename(file, aside);
  p.notes.push_back(
      fmt::format("the progress file was damaged ({}{}); it is kept as {}, and what could be read goes on",
                  first_damaged, damaged > 1 ? fmt::format(" and {} more", damaged - 1) : "", short_path(aside)));
  write_file(file, text_of(p));
  return p;
}

}  // namespace

const LessonProgress& Progress::of(const Lesson& lesson) const {
  static const LessonProgress none;
  const auto it = lessons.find(lesson.folder);
  return it == lessons.end() ? none : it->second;
}

const Lesson& Progress::next() const { return next_of(all()); }

const Lesson& Progress::next_of(const std::vector<Lesson>& list) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].folder == current) first = i;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (const Lesson& lesson = list[(first + i) % list.size()]; !of(lesson).passed) return lesson;
  return list.front();
}

fs::path progress_file() { return learners_folder() / "progress.txt"; }

Progress load_progress() {
  if (!fs::exists(progress_file())) return {};
  const Lock lock;
  return read_progress();
}

Progress keep_check(const Lesson& lesson, bool passed) {
  return change_progress(lesson, [&](LessonProgress& l) {
    ++l.checks;
    l.passed |= passed;
  });
}

Progress keep_hint(const Lesson& lesson, int hints_there_are) {
  return change_progress(lesson, [&](LessonProgress& l) { l.hints = std::min(l.hints + 1, hints_there_are); });
}

Progress keep_solution_seen(const Lesson& lesson) {
  return change_progress(lesson, [](LessonProgress& l) { l.saw_solution = true; });
}

Progress keep_prediction(const Lesson& lesson, const std::string& guess, bool is_right) {
  return change_progress(lesson, [&](LessonProgress& l) {
    if (!l.prediction.empty()) return;
    for (const char c : guess.substr(0, 40))
      l.prediction += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' ? c : '_';
    l.predicted_right = is_right;
  });
}

Progress change_progress(const Lesson& lesson, const std::function<void(LessonProgress&)>& change) {
  const Lock lock;
  Progress p = read_progress();
  p.current = lesson.folder;
  change(p.lessons[lesson.folder]);
  write_file(progress_file(), text_of(p));
  return p;
}

}  // namespace tl::lessons
