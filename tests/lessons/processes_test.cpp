// The processes that somebody's kernel runs in: how they end, what they may not do, and that nothing outlives them.
#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "interp/hostcc/child.h"
#include "interp/hostcc/supervisor.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;
using tl::hostcc::ChildResult, tl::hostcc::run_child, tl::hostcc::run_copy;

namespace {

// A child that writes its own process id there, in a session of its own, and sleeps.
std::string runaway(const std::filesystem::path& pid_file) {
  return "    if (fork() == 0) { setsid(); if (fork() == 0) { std::ofstream(\"" + pid_file.string() +
         "\") << getpid() << std::flush; sleep(100); } _exit(0); }\n    usleep(300000);";
}

bool is_alive(int pid) { return pid > 0 && kill(pid, 0) == 0; }

int number_in(const std::filesystem::path& file) {
  int number = 0;
  std::ifstream(file) >> number;
  return number;
}

}  // namespace

TEST_CASE("children: output, exit codes and limits") {
  CHECK(run_child({"sh", "-c", "cat; echo err >&2; echo three >&3; exit 7"}, "/", "in", {}).out == "in");
  const ChildResult r = run_child({"sh", "-c", "echo three >&3; exit 7"}, "/", "", {});
  CHECK(r.result == "three\n");
  CHECK(r.exit_code == 7);
  CHECK(run_child({"sleep", "30"}, "/", "", {.seconds = 0.2}).time_limit == "0.2 seconds");
  CHECK(run_child({"sh", "-c", "kill -9 $$"}, "/", "", {}).signal == 9);
}

TEST_CASE("children: one that closes its output and goes on reaches its time limit, and one that takes no notice too") {
  CHECK(run_child({"sh", "-c", "exec 1>&- 2>&- 3>&-; while :; do :; done"}, "/", "", {.seconds = 0.3}).timed_out());
  const ChildResult r = run_child({"sh", "-c", "trap '' XCPU TERM INT; while :; do :; done"}, "/", "",
                                  {.seconds = 600, .cpu_seconds = 1});
  CHECK(words_of(r) == "did not come to an end within 1 seconds of processor time");
}

TEST_CASE("children: one that kills who watches it is no success") {
  const ChildResult r = run_child({"sh", "-c", "kill -9 $PPID; sleep 100"}, "/", "", {});
  CHECK_FALSE(r.ok());
  CHECK(r.signal == 9);
}

TEST_CASE("children: a copy of this process is a child like others") {
  CHECK(run_copy([] {}, {}).ok());
  CHECK(words_of(run_copy([] { exit(0); }, {})) == "ended the process it ran in (exit code 0)");
  CHECK_FALSE(run_copy([] { exit(0); }, {}).ok());
  CHECK_FALSE(run_copy([] { _exit(0); }, {}).ok());
  CHECK(run_copy([] { std::abort(); }, {}).signal == SIGABRT);
  CHECK(run_copy([] { *reinterpret_cast<volatile int*>(8) = 1; }, {}).note.is_null);
  CHECK(run_copy([] { std::ignore = write(1, "out", 3); }, {}).out == "out");
}

TEST_CASE("children: what libraries do in every new process does not come before them") {
  if (!hostcc::has_bare_fork) return;
  static bool in_child = false;
  in_child = true;
  REQUIRE(pthread_atfork(nullptr, nullptr, [] {
            if (in_child) _exit(99);
          }) == 0);
  CHECK(run_child({"sh", "-c", "exit 7"}, "/", "", {}).exit_code == 7);
  in_child = false;
}

TEST_CASE("children: nothing that they start outlives them, in a session of its own or not") {
  const Workshop here;
  const auto pid_file = here.file("pid", "").string();
  const ChildResult r =
      run_child({"sh", "-c",
                 "setsid sh -c 'echo $$ > " + pid_file + "; sleep 100' & while ! [ -s " + pid_file + " ]; do :; done"},
                "", "", {});
  CHECK(r.ok());
  CHECK(r.left >= 1);
  CHECK(number_in(pid_file) > 0);
  CHECK_FALSE(is_alive(number_in(pid_file)));
}

TEST_CASE("children: what they started ends with the program that runs them, and their folder goes") {
  const Workshop here;
  const auto pid_file = here.file("pid", "").string(), folder_file = here.file("folder", "").string();
  const pid_t program = fork();
  if (program == 0) {
    run_child(
        {"sh", "-c", "echo $TMPDIR > " + folder_file + "; touch $TMPDIR/x; echo $$ > " + pid_file + "; sleep 100"}, "",
        "", {});
    _exit(0);
  }
  while (number_in(pid_file) == 0) usleep(1000);
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  for (int i = 0; i < 5000 && is_alive(number_in(pid_file)); ++i) usleep(1000);
  CHECK_FALSE(is_alive(number_in(pid_file)));
  std::string folder;
  std::ifstream(folder_file) >> folder;
  CHECK(!folder.empty());
  for (int i = 0; i < 5000 && std::filesystem::exists(folder); ++i) usleep(1000);
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("children: one that forks without end is ended, and all its descendants") {
  const Workshop here;
  const auto marker = here.file("marker.sh", "while :; do sh $0 & sh $0 & sleep 1; done\n").string();
  CHECK(run_child({"sh", "-c", "ulimit -u 100; sh " + marker}, "", "", {.seconds = 0.5}).timed_out());
  const ChildResult found = run_child(
      {"sh", "-c", "cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' ' | grep -c 'marke[r].sh'"}, "", "", {});
  CHECK(found.out == "0\n");
}

TEST_CASE("bad input: a kernel that forks is told so, and leaves nothing") {
  const Workshop here;
  const std::string includes = "#include <fstream>\n#include <unistd.h>\n#include <stdlib.h>\n#include <spawn.h>\n";
  const Report r = here.check(find("copy"), includes + with_line(runaway(here.folder / "pid")));
  CHECK(r.finding->headline == "the kernel starts another process (fork)");
  CHECK(r.finding->detail.find("line ") != std::string::npos);
  const std::string once = (here.folder / "once").string();
  CHECK(here.check(find("copy"), includes + with_line("    if (access(\"" + once +
                                                      "\", F_OK) != 0) (void)!system(\"touch " + once + "\");"))
            .finding->headline == "the kernel starts another process");
  const std::string pid_file = (here.folder / "pid").string();
  const Report left =
      here.check(find("copy"), "#include <sys/syscall.h>\n#include <stdio.h>\n" + includes +
                                   with_line("    if (access(\"" + pid_file +
                                             "\", F_OK) != 0 && syscall(SYS_fork) == 0) { setsid(); std::ofstream(\"" +
                                             pid_file + "_\") << getpid(); rename(\"" + pid_file + "_\", \"" +
                                             pid_file + "\"); sleep(100); }\n    while (access(\"" + pid_file +
                                             "\", F_OK) != 0) usleep(1000);"));
  const bool is_refused = left.finding->headline == "the kernel starts another process";  // where the system can
  CHECK((is_refused || left.finding->headline.find("behind, which were killed") != std::string::npos));
  CHECK((is_refused || number_in(here.folder / "pid") > 0));
  CHECK_FALSE((!is_refused && is_alive(number_in(here.folder / "pid"))));
}

#ifndef TILESCOPE_SANITIZED
TEST_CASE("bad input: a kernel that writes a file is told so before the file is there, in a start of a global, too") {
  const Workshop here;
  const std::string file = (here.folder / "made").string();
  const std::string includes = "#include <fstream>\n#include <stdlib.h>\n#include <sys/socket.h>\n";
  const auto headline = [&](const std::string& text) { return here.check(find("copy"), text).finding->headline; };
  CHECK(headline(includes + with_line("    std::ofstream(\"" + file + "\") << 1;")) == "the kernel writes a file");
  CHECK(headline(includes + "const bool made = [] { std::ofstream(\"" + file + "\") << 1; return true; }();\n" +
                 with_line("    (void)made;")) == "the kernel writes a file");
  CHECK(headline(includes + with_line("    (void)!system(\"touch " + file + "\");")) ==
        "the kernel starts another process");
  CHECK(headline(includes + with_line("    (void)socket(AF_INET, SOCK_STREAM, 0);")) == "the kernel opens a socket");
  CHECK_FALSE(std::filesystem::exists(file));
}
#endif
