// What a learner's file may do to us: not compile, not end, crash; and what the machine may lack.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "interp/hostcc/child.h"
#include "interp/hostcc/compiler.h"
#include "interp/lang/output_file.h"
#include "interp/text/declared.h"
#include "lessons/runner/texts.h"
#include "tests/lessons/workshop.h"

using namespace tl;
using namespace tl::lessons;
using tl::hostcc::Built, tl::hostcc::build_kernel, tl::hostcc::find_compiler, tl::hostcc::find_compiler_among,
    tl::hostcc::in_path, tl::hostcc::launcher_text;

namespace {

std::string header_of(const std::string& path) {
  for (const sources::SourceFile& f : tl::hostcc::headers())
    if (f.path == path) return std::string(f.text);
  return "";
}

// PATH with `commands` alone.
struct OnlyTools {
  OnlyTools(const std::filesystem::path& folder, const std::vector<std::string>& commands) : before(getenv("PATH")) {
    std::filesystem::create_directories(folder);
    for (const std::string& c : commands) std::filesystem::create_symlink(in_path(c), folder / c);
    setenv("PATH", folder.c_str(), 1);
  }
  ~OnlyTools() { setenv("PATH", before.c_str(), 1); }
  std::string before;
};

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

TEST_CASE("a kernel whose text is as long as a header compiles") {
  const Workshop here;
  std::string text(find("copy").text("solution.h"));
  const std::size_t length = launcher_text(find("copy").wanted(), text::declared("kernel.h", text)).size();
  const std::size_t header = header_of("interp/cpu/range.h").size();
  REQUIRE(length + 2 <= header);
  CHECK(here.check(find("copy"), text + "//" + std::string(header - length - 2, '.')).ok());
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

#ifndef TILESCOPE_SANITIZED
TEST_CASE("bad input: a kernel that takes all memory is told so") {
  const Workshop here;
  const std::string line = "    for (;;) *const_cast<volatile char*>(new char[1 << 26]) = 1;";
  const Report r = here.check(find("copy"), with_line(line));
  CHECK(r.finding->headline == "the kernel asks for more memory than the 2.0 GiB that it may take");
  CHECK(r.finding->detail.find("line ") != std::string::npos);
  CHECK(here.check(find("copy"), "#include <cstdlib>\n" + with_line("    *(volatile char*)malloc(1ull << 40) = 1;"))
            .finding->headline == "the kernel crashed: it read or wrote through a null pointer");
  const std::string much =
      "    auto* p = new char[9 << 27]; for (int i = 0; i < 9 << 27; i += 4096) static_cast<volatile char*>(p)[i] = "
      "1;\n"
      "    raise(SIGXCPU);";  // as when its time is over
  CHECK(
      here.check(find("copy"), "#include <csignal>\n" + with_line(much)).finding->headline.find("GiB of memory and") !=
      std::string::npos);
}
#endif

TEST_CASE("bad input: an endless loop and a crash are told with the last line that ran an op") {
  const Workshop here;
  const Report r = here.check(find("copy"), with_line("    for (volatile int i = 0;; i = 0) {}"), 2);
  CHECK(r.finding->detail.find("The last op that ran stands in line 12:") != std::string::npos);
  const Report crash = here.check(find("copy"), with_line("    __builtin_trap();"));
  CHECK(crash.finding->detail.find("The last op that ran stands in line 12:") != std::string::npos);
}

TEST_CASE("cache: a changed include is another kernel, however deep and however it is written") {
  const Workshop here;
  const std::string kernel = with_line("    x = twice(x);");
  const auto with_include = [&](const std::string& include) { return include + "\n" + kernel; };
  const std::string right = "#pragma once\nauto twice(auto x) { return x; }\n",
                    wrong = "#pragma once\nauto twice(auto x) { return x + x; }\n";
  here.file("sub/outer.h", "#include \"../inner.h\"\n");
  for (const std::string include :
       {"#include \"sub/outer.h\"", "  #\tinclude   \"inner.h\" // why", "#define FILE \"inner.h\"\n#include FILE",
        "#if __has_include(\"inner.h\")\n#include \"inner.h\"\n#endif", "#inc\\\nlude \"inner.h\""}) {
    here.file("inner.h", right);
    CHECK_MESSAGE(here.check(find("copy"), with_include(include)).ok(), include);
    CHECK_MESSAGE(here.check(find("copy"), with_include(include)).ok(), include);
    here.file("inner.h", wrong);
    CHECK_MESSAGE(!here.check(find("copy"), with_include(include)).ok(), include);
  }
}

TEST_CASE("cache: a file that takes a header's place later is seen") {
  const Workshop here;
  const std::string text = "#include \"kernels/offsets.h\"\n" + find("copy").text("solution.h");
  CHECK(here.check(find("copy"), text).ok());
  here.file("kernels/offsets.h", "#error mine\n");
  CHECK_FALSE(here.check(find("copy"), text).ok());
}

TEST_CASE("cache: an entry that is cut, emptied or changed is made again, and heals") {
  const Workshop here;
  setenv("XDG_CACHE_HOME", (here.folder / "cache").c_str(), 1);
  const auto file = here.file("kernel.h", find("copy").text("solution.h"));
  const std::string library = build_kernel(find("copy").wanted(), file).library;
  CHECK(build_kernel(find("copy").wanted(), file).from_cache);
  const auto entry = std::filesystem::directory_iterator(here.folder / "cache/tilescope/made")->path();
  const std::string whole = read_file(entry);
  for (const std::string& bad : {std::string(), whole.substr(0, whole.size() / 2), whole + "x",
                                 replaced(whole, "tilescope_program", "tilescope_prograM")}) {
    write_file(entry, bad);
    const Built again = build_kernel(find("copy").wanted(), file);
    CHECK_FALSE(again.from_cache);
    CHECK(again.library == library);
    CHECK(build_kernel(find("copy").wanted(), file).from_cache);
  }
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("cache: without a home a kernel is compiled each time, and the current folder is left alone") {
  const Workshop here;
  const std::string home = getenv("HOME") ? getenv("HOME") : "";
  unsetenv("HOME");
  const auto file = here.file("kernel.h", find("copy").text("solution.h"));
  for (int i = 0; i < 2; ++i) CHECK_FALSE(build_kernel(find("copy").wanted(), file).from_cache);
  if (!home.empty()) setenv("HOME", home.c_str(), 1);
}

TEST_CASE("bad input: an #include of a device or a pipe is told, and not read") {
  const Workshop here;
  REQUIRE(mkfifo((here.folder / "pipe.h").c_str(), 0600) == 0);
  for (const char* name : {"/dev/zero", "pipe.h"}) {
    const Report r =
        here.check(find("copy"), "#include \"" + std::string(name) + "\"\n" + find("copy").text("solution.h"));
    CHECK(r.finding->headline.find("an #include leads to something that is not a text") != std::string::npos);
  }
  CHECK_THROWS_WITH_AS(check(find("copy"), {.file = here.folder / "pipe.h", .program = TILESCOPE_PROGRAM}),
                       doctest::Contains("it is a pipe"), Error);
  CHECK_THROWS_WITH_AS(check(find("copy"), {.file = "/dev/zero", .program = TILESCOPE_PROGRAM}),
                       doctest::Contains("it is a device"), Error);
}

TEST_CASE("machine: a compiler without its assembler is not the learner's mistake") {
  const Workshop here;
  setenv("XDG_CACHE_HOME", (here.folder / "cache").c_str(), 1);
  std::string compiler = find_compiler();
#ifdef __clang__  // it finds a linker beside itself, wherever PATH leads
  const std::string own = compiler;
  compiler = here.folder / "clang++";
  std::ofstream(compiler) << "#!/bin/sh\nexec " << own << " -fuse-ld=/nowhere/ld \"$@\"\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
#endif
  setenv("TILESCOPE_CXX", compiler.c_str(), 1);
  {
    const OnlyTools tools(here.folder / "bin", {"sh"});
    CHECK_THROWS_WITH_AS(here.check(find("copy"), find("copy").text("solution.h")),
                         doctest::Contains("your kernel is not the cause"), Error);
  }
  unsetenv("TILESCOPE_CXX");
  unsetenv("XDG_CACHE_HOME");
}
