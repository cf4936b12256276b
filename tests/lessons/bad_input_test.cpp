// What a learner's file may do to us: not compile, not end, crash; and what the machine may lack.
#include <doctest/doctest.h>
#include <sys/mount.h>

#include "interp/lang/output_file.h"
#include "lessons/runner/child.h"
#include "lessons/runner/compiler.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;

namespace {

// Lesson 1's solution with a line of one's own before its store.
std::string with_line(const std::string& line) {
  return replaced(find("copy").text("solution.h"), "    tl.store", line + "\n    tl.store");
}

}  // namespace

TEST_CASE("bad input: an empty file is called empty") {
  const Workshop here;
  const Report r = here.check(find("copy"), " \n\n");
  CHECK(r.finding->headline == "kernel.h is empty");
  CHECK(r.finding->fix.find("learn reset copy") != std::string::npos);
}

TEST_CASE("bad input: what is no text, or far too long, is told before the compiler") {
  const Workshop here;
  CHECK(here.check(find("copy"), std::string("auto\1\0x", 7)).finding->headline == "kernel.h is not text: byte 4 is 1");
  CHECK(here.check(find("copy"), std::string(2'000'000, 'x')).finding->headline ==
        "kernel.h has 2000000 bytes, and a kernel has a few thousand");
  CHECK(here.check(find("copy"), std::string(50'000, 'x')).finding->headline.size() < 3000);
}

TEST_CASE("bad input: a file that is no kernel names the kernel that it lacks") {
  const Workshop here;
  CHECK(here.check(find("copy"), "// nothing yet\n").finding->headline == "kernel.h has no kernel named copy_kernel");
}

TEST_CASE("bad input: a loop over ops that never ends is stopped at its line") {
  const Workshop here;
  const Report r = here.check(find("copy"), with_line("    while (pid >= 0) offs = offs + 0;"));
  CHECK(r.finding->headline.find("does not come to an end") != std::string::npos);
  CHECK(r.finding->line == 13);
}

TEST_CASE("bad input: a loop without ops is killed when its time is over") {
  const Workshop here;
  const Report r = here.check(find("copy"), with_line("    for (volatile int i = 0;; i = 0) {}"), 2);
  CHECK(r.finding->headline.find("did not come to an end within 2 seconds") != std::string::npos);
  CHECK(r.during == "n=6 bs=2");
  const Report spent = here.check(find("copy"), with_line("    for (volatile int i = 0;; i = 0) {}"),
                                  10);  // by the processor time that it took
  CHECK(spent.finding->headline.find("did not come to an end within") != std::string::npos);
}

TEST_CASE("bad input: a kernel that writes where it likes, aborts or exits is a message") {
  const Workshop here;
  CHECK(here.check(find("copy"), with_line("    *reinterpret_cast<volatile int*>(8) = 1;"))
            .finding->headline.find("crashed") != std::string::npos);
  CHECK(here.check(find("copy"), with_line("    __builtin_abort();")).finding->headline.find("aborted") !=
        std::string::npos);
  CHECK(here.check(find("copy"), "#include <cstdlib>\n" + with_line("    std::exit(0);"))
            .finding->headline.find("ended the process it ran in") != std::string::npos);
  CHECK(here.check(find("copy"), "#include <stdexcept>\n" + with_line("    throw std::runtime_error(\"no\");"))
            .finding->headline.find("threw: no") != std::string::npos);
}

TEST_CASE("bad input: a kernel that stores everywhere is told the first place outside") {
  const Workshop here;
  const Report r = here.check(find("copy"), with_line("    tl.store(z_ptr + (offs + 1000000), x);"));
  CHECK(r.finding->headline.find("outside") != std::string::npos);
}

TEST_CASE("bad input: what a kernel prints comes back and does not spoil the report") {
  const Workshop here;
  const Report r = here.check(find("copy"), "#include <cstdio>\n" + with_line("    std::puts(\"{}\");"));
  CHECK(r.ok());
  CHECK(r.printed.starts_with("{}\n{}\n"));
}

TEST_CASE("bad input: a functor with a name of the program's own is still the learner's") {
  const Workshop here;
  const Lesson& add = find("add");  // kernels/add.h has an add_kernel as well
  CHECK_FALSE(here.check(add, replaced(add.text("solution.h"), "x + y", "x - y")).ok());
}

TEST_CASE("machine: without a compiler the message names the package") {
  CHECK_THROWS_WITH_AS(find_compiler_among({"no-such-compiler", "/nowhere/c++"}), doctest::Contains("on this machine"),
                       Error);
  try {
    find_compiler_among({});
  } catch (const Error& e) {
    CHECK(e.fix.find("apt-get install") != std::string::npos);
  }
}

TEST_CASE("machine: a full disk is said, and the file stays as it was") {
  const Workshop here;
  const auto folder = here.folder / "small";
  std::filesystem::create_directories(folder);
  if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=8k") != 0) {
    MESSAGE("skipped: no right to mount a small disk");
    return;
  }
  write_file(folder / "progress.txt", "old");
  CHECK_THROWS_WITH_AS(write_file(folder / "progress.txt", std::string(1 << 20, 'x')),
                       doctest::Contains("No space left on device"), OutputError);
  CHECK(read_file(folder / "progress.txt") == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  umount(folder.c_str());
}

TEST_CASE("machine: a file replaced by a device is not read") {
  CHECK_THROWS_WITH_AS(read_file("/dev/zero"), doctest::Contains("cannot be read"), Error);
}

TEST_CASE("children: output, exit codes and limits") {
  CHECK(run_child({"sh", "-c", "cat; echo err >&2; echo three >&3; exit 7"}, "/", "in", {}).out == "in");
  const ChildResult r = run_child({"sh", "-c", "echo three >&3; exit 7"}, "/", "", {});
  CHECK(r.result == "three\n");
  CHECK(r.exit_code == 7);
  CHECK(run_child({"sleep", "30"}, "/", "", {.seconds = 0.2}).timed_out);
  CHECK(run_child({"sh", "-c", "kill -9 $$"}, "/", "", {}).signal == 9);
}
