#include "lessons/terminal/solutions.h"

#include <fmt/format.h>

#include "interp/lang/unfinished.h"
#include "interp/report/terminal.h"
#include "lessons/runner/check.h"
#include "lessons/runner/files.h"
#include "lessons/runner/pages.h"

namespace tl::lessons {

namespace fs = std::filesystem;

int check_solutions(const std::string& name, bool gpu) {
  const TemporaryFolder folder;
  const report::Paint paint = report::paint_of(stdout);
  int failed = 0;
  std::vector<const Lesson*> wanted;
  for (const auto* list : {&all(), &puzzles()})
    for (const Lesson& lesson : *list)
      if (name.empty() || &find(name) == &lesson) wanted.push_back(&lesson);
  for (const Lesson* one : wanted) {
    const Lesson& lesson = *one;
    const fs::path file = folder.path() / lesson.folder / file_in(language(), "solution");
    write_file(file, lesson.solution(language()));
    const Report r = check(lesson, {.file = file, .seconds = 120, .gpu = gpu});
    failed += !r.ok();
    const bool on_gpu = r.gpu.state == GpuReport::State::agrees;
    fmt::print("{} {:<28} {} trials, compiled in {:.0f} ms, ran in {:.0f} ms; {}\n",
               r.ok() ? paint.good("ok    ") : paint.bad("FAILED"), lesson.folder, r.passed.size(), r.compile_ms,
               r.run_ms,
               on_gpu ? fmt::format("{}: {} trials agree", r.gpu.device, r.gpu.trials)
               : gpu  ? "no GPU run: " + r.gpu.text
                      : "the GPU was not asked");
    if (!r.ok()) fmt::print("{}", report_text(lesson, r, file, paint));
    std::fflush(stdout);
  }
  return failed ? 1 : 0;
}

}  // namespace tl::lessons
