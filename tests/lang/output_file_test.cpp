// Files are there when they are whole.
#include "interp/lang/output_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <thread>
#include <vector>

#include "interp/lang/unfinished.h"

namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() { REQUIRE(mkdtemp(name.data()) != nullptr); }
  ~Folder() { fs::remove_all(name); }
  std::string file(const std::string& inside) const { return name + "/" + inside; }
  auto files() const { return std::distance(fs::directory_iterator(name), {}); }
  std::string name = (fs::temp_directory_path() / "tilescope-file-XXXXXX").string();
};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// How a child process ends that writes half a file and then does `end`.
int ended_within_a_file(const std::string& file, const std::function<void()>& end) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);  // not the test's own
    try {
      tl::write_file(file, [&](std::ostream& out) { out << "half" << std::flush, end(); });
    } catch (const tl::OutputError&) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

mode_t mode_of(const std::string& file) {
  struct stat s{};
  stat(file.c_str(), &s);
  return s.st_mode & 07777;
}

}  // namespace

TEST_CASE("a file that cannot be finished leaves the older one as it was, and nothing beside it") {
  const Folder folder;
  const std::string file = folder.file("a.svg");
  tl::write_file(file, "old");
  CHECK_THROWS_AS(tl::write_file(file, [](std::ostream& out) { out << "half", throw tl::Error("no more"); }),
                  tl::Error);
  CHECK(text_of(file) == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("what ends the program within a file can drop what there is of it") {
  const Folder folder;
  tl::write_file(folder.file("before.svg"), "whole");
  const auto interrupted = [&](std::ostream& out) {
    out << "half" << std::flush;
    CHECK(folder.files() == 2);
    tl::remove_unfinished();
    CHECK(folder.files() == 1);
    throw tl::Error("here the program ends");
  };
  CHECK_THROWS_AS(tl::write_file(folder.file("b.svg"), interrupted), tl::Error);
  tl::remove_unfinished();
  CHECK(folder.files() == 1);
}

TEST_CASE("what a link leads to is written, and the link stays") {
  const Folder folder;
  tl::write_file(folder.file("a.svg"), "old");
  fs::create_symlink(folder.file("a.svg"), folder.file("link.svg"));
  tl::write_file(folder.file("link.svg"), "new");
  CHECK(fs::is_symlink(folder.file("link.svg")));
  CHECK(text_of(folder.file("a.svg")) == "new");
}

TEST_CASE("a signal that ends the program within a file leaves the older one, and nothing beside it") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Folder folder;
    tl::write_file(folder.file("a.svg"), "old");
    const int status = ended_within_a_file(folder.file("a.svg"), [&] { raise(number); });
    CHECK(WTERMSIG(status) == number);
    CHECK(text_of(folder.file("a.svg")) == "old");
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("a file that grows beyond its limit is an error and not the end of the program") {
  const Folder folder;
  const int written = ended_within_a_file(folder.file("a.svg"), [&] {
    const rlimit small{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &small);
    tl::write_file(folder.file("b.svg"), std::string(5000, 'x'));
  });
  CHECK(WIFEXITED(written));
  CHECK(WEXITSTATUS(written) == 1);
  CHECK(folder.files() == 0);
}

TEST_CASE("a file keeps the mode that it had, and a new one has what umask leaves") {
  const Folder folder;
  const mode_t before = umask(027);
  tl::write_file(folder.file("a.svg"), "1");
  umask(before);
  CHECK(mode_of(folder.file("a.svg")) == 0640);
  chmod(folder.file("a.svg").c_str(), 0604);
  tl::write_file(folder.file("a.svg"), "2");
  CHECK(mode_of(folder.file("a.svg")) == 0604);
}

TEST_CASE("a link that somebody laid under the old temporary name is not followed") {
  const Folder folder;
  tl::write_file(folder.file("precious"), "kept");
  fs::create_symlink(folder.file("precious"), folder.file("a.svg.part"));
  tl::write_file(folder.file("a.svg"), "new");
  CHECK(text_of(folder.file("precious")) == "kept");
}

TEST_CASE("a link to a file that is not there yet makes it there, one in circles is an error") {
  const Folder folder;
  fs::create_symlink("b.svg", folder.file("a.svg"));
  tl::write_file(folder.file("a.svg"), "new");
  CHECK(text_of(folder.file("b.svg")) == "new");
  fs::create_symlink("d", folder.file("c"));
  fs::create_symlink("c", folder.file("d"));
  CHECK_THROWS_WITH_AS(tl::write_file(folder.file("c"), "x"), doctest::Contains("symbolic links"), tl::OutputError);
}

TEST_CASE("devices, pipes and open streams are written themselves") {
  const Folder folder;
  tl::write_file("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
  const int file = open(folder.file("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  REQUIRE(::write(file, "first, ", 7) == 7);
  tl::write_file("/dev/fd/" + std::to_string(file), "then");
  tl::write_file("/proc/self/fd/" + std::to_string(file), "!");
  close(file);
  CHECK(text_of(folder.file("log")) == "first, then!");
  CHECK(folder.files() == 1);
}

TEST_CASE("what cannot be written is told with the reason before anything is made") {
  const Folder folder;
  const auto reason = [](const std::string& path) -> std::string {
    try {
      tl::require_writable(path);
    } catch (const tl::OutputError& e) {
      return std::string(e.what()).substr(std::string(e.what()).rfind(": ") + 2);
    }
    return "none";
  };
  CHECK(reason("") == "No such file or directory");
  CHECK(reason(folder.name) == "Is a directory");
  CHECK(reason(folder.name + "/") == "Is a directory");
  CHECK(reason(folder.file("no/a.svg")) == "No such file or directory");
  tl::write_file(folder.file("file"), "");
  CHECK(reason(folder.file("file/a.svg")) == "Not a directory");
  CHECK(reason(folder.file("a.svg")) == "none");
  CHECK(reason(folder.file(std::string(250, 'a'))) == "none");
  tl::write_file(folder.file(std::string(250, 'a')), "a name as long as names may be");
}

TEST_CASE("a full disk is told, and the older file stays whole") {
  const Folder folder;
  if (mount("tmpfs", folder.name.c_str(), "tmpfs", 0, "size=8k") != 0) {
    MESSAGE("skipped: no right to mount a small disk");
    return;
  }
  tl::write_file(folder.file("a.svg"), "old");
  CHECK_THROWS_WITH_AS(tl::write_file(folder.file("a.svg"), std::string(1 << 20, 'x')),
                       doctest::Contains("No space left on device"), tl::OutputError);
  CHECK(text_of(folder.file("a.svg")) == "old");
  CHECK(folder.files() == 1);
  umount(folder.name.c_str());
}

TEST_CASE("many threads write at once, each its own file") {
  const Folder folder;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 80; ++i)
      writers.emplace_back([&, i] { tl::write_file(folder.file(std::to_string(i % 8)), std::string(100'000, 'x')); });
  }
  CHECK(folder.files() == 8);
  for (int i = 0; i < 8; ++i) CHECK(fs::file_size(folder.file(std::to_string(i))) == 100'000);
}

TEST_CASE("a temporary folder goes with all that is in it, by a signal too") {
  fs::path kept;
  {
    const tl::TemporaryFolder folder;
    kept = folder.path();
    fs::create_directories(kept / "a/b/c");
    tl::write_file(kept / "a/b/c/file", "x");
    CHECK(mode_of(kept) == 0700);
  }
  CHECK_FALSE(fs::exists(kept));
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    const tl::TemporaryFolder folder;
    fs::create_directories(folder.path() / "a/b");
    for (int i = 0; i < 300; ++i) tl::write_file(folder.path() / "a" / std::to_string(i), "x");
    (void)!::write(ends[1], folder.path().c_str(), folder.path().string().size());
    raise(SIGTERM);
  }
  close(ends[1]);
  char name[4096] = {};
  CHECK(read(ends[0], name, sizeof name - 1) > 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK_FALSE(fs::exists(name));
}
