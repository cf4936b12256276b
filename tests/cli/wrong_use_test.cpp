// Wrong use: exit code 2, nothing on stdout, one clear sentence and its fix on stderr.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/cli/run_program.h"

namespace {

struct Case {
  const char *arguments, *fact, *fix;
};

}  // namespace

TEST_CASE("what cannot be done is said in one sentence with its fix") {
  for (const Case& c : {
           Case{"rnu", "no command \"rnu\"", "did you mean `tilescope run`?"},
           Case{"copy n=6", "\"copy\" is a kernel, not a command", "tilescope run copy"},
           Case{"--jsn", "no option \"--jsn\"", "the commands: "},
           Case{"run", "needs to know which kernel", "--help"},
           Case{"run softmx", "no kernel \"softmx\"", "did you mean softmax?"},
           Case{"run COPY", "no kernel \"COPY\"", "did you mean copy?"},
           Case{"bench transpose add blok=5", "add has no setting \"blok\"", "did you mean block?"},
           Case{"run copy bolck=4", "no setting \"bolck\"", "did you mean block?"},
           Case{"run copy n", "\"n\" is not name=value", "n=6"},
           Case{"run copy n=many", "n=many is not an integer", "n=6"},
           Case{"run copy n=0", "out of range", "choose n from 1"},
           Case{"run copy n=99999999999", "out of range", "choose n from 1"},
           Case{"run copy block=3", "not a power of two", "block=2 or block=4"},
           Case{"run copy --jsn", "no option \"--jsn\"", "did you mean --json?"},
           Case{"run copy --order up", "--order cannot be \"up\"", "sequential|reversed|shuffled"},
           Case{"run copy --device gpu", "--device cannot be \"gpu\"", "cpu|cuda"},
           Case{"run copy --threads 0", "--threads cannot be \"0\"", "1..4096"},
           Case{"run copy --seed", "--seed needs a value", "--seed 0..2^64-1"},
           Case{"run copy --print '>'", "condition '>'", "'>1,=0'"},
           Case{"run copy --show w", "no tensor \"w\"", "choose from z, x"},
           Case{"run copy --check race uninit", "\"uninit\" stands apart", "--check race,uninit"},
           Case{"learn debug --file x.h", "`tilescope learn debug` has no option", "`tilescope learn check --file`"},
           Case{"learn debug --trail 1", "`tilescope learn debug` has no option", "did you mean --trial?"},
           Case{"run copy --check everything", "no check \"everything\"", "uninit, race"},
           Case{"run copy --arith fp23", "--arith: there is no device \"fp23\"", "chip, an H200's sums; fp32"},
           Case{"run copy --device cuda --arith t4", "--arith is the interpreter's", "leave out"},
           Case{"run copy --device cuda --threads 2", "--threads is the interpreter's", "leave out"},
           Case{"run copy --show x --show z", "--show is given twice", "leave all but one out"},
           Case{"run grey image=none.png", "No such file", "PNG or JPEG"},
           Case{"run grey image=/tmp", "it is a folder", "PNG or JPEG"},
           Case{"run grey out=grey.bmp", "neither PNG nor JPEG", "end its name in .png or .jpg"},
           Case{"bench", "needs to know which kernel", "--help"},
           Case{"bench add --sweep n=1:2", "has no step", "n=1024:65536:x2"},
           Case{"bench add --sweep m=1:4:x2", "no setting \"m\"", "did you mean n?"},
           Case{"bench add --plot p.svg", "needs a sweep", "--sweep"},
           Case{"compile", "takes a kernel or --all", "tilescope compile matmul"},
           Case{"run copy --print '=0' --print '=1'", "--print is given twice", "leave all but one out"},
           Case{"run copy n=5 n=6", "n is given twice: n=5 and n=6", "leave one of them out"},
           Case{"page relu.h -o relu.html", "relu.h is no .py file", "tilescope new relu.py"},
           Case{"page relu.py", "--out is missing", "--out FILE"},
           Case{"trace copy", "--out is missing", "--out FILE"},
           Case{"trace copy -o ''", "--out needs a value", "--out FILE"},
           Case{"bench copy --sweep ''", "--sweep needs a value", "RANGE"},
           Case{"run copy --seed -1", "--seed cannot be \"-1\"", "0..2^64-1"},
           Case{"run copy --seed 18446744073709551616", "--seed cannot be", "0..2^64-1"},
           Case{"list copy add", "`tilescope list` has no use for \"add\"", "--help"},
           Case{"--json run copy", "\"--json\" stands before the command", "tilescope run"},
           Case{"help rnu", "no command \"rnu\"", "tilescope run"},
           Case{"run copy --sources /", "holds no kernels/copy.h", "folder that holds"},
           Case{"debug .", "\".\" cannot be read: it is a folder", "tilescope trace"},
           Case{"debug kernels/copy.h", "cannot be read", "copy is built in"},
           Case{"list softmx", "no kernel \"softmx\"", "did you mean softmax?"},
       }) {
    const Said s = tilescope(c.arguments);
    CHECK_MESSAGE(s.exit_code == 2, c.arguments);
    CHECK_MESSAGE(s.out.empty(), c.arguments);
    CHECK_MESSAGE(s.err.find(c.fact) != std::string::npos, c.arguments << ": " << s.err);
    CHECK_MESSAGE(s.err.find("\n  fix: ") != std::string::npos, c.arguments << ": " << s.err);
    CHECK_MESSAGE(s.err.find(c.fix) != std::string::npos, c.arguments << ": " << s.err);
  }
}

TEST_CASE("a file that cannot be written is named") {
  for (const char* arguments : {"bench add n=1024 --ms 1 --csv", "trace copy -o", "schedule add --svg"}) {
    const Said s = tilescope(std::string(arguments) + " /nowhere/t.csv");
    CHECK(s.exit_code == 1);
    CHECK(s.err.find("\"/nowhere/t.csv\" cannot be written: No such file") != std::string::npos);
  }
}

TEST_CASE("devices, pipes and folders are not read, whatever the file is for") {
  const EmptyFolder folder;
  std::filesystem::create_symlink("/dev/zero", folder.path / "zero.json");
  REQUIRE(mkfifo((folder.path / "pipe.json").c_str(), 0600) == 0);
  for (const char* arguments : {"schedule add --gpu", "counters --cases", "launch-once", "debug", "run grey image="})
    for (const char* file : {"./zero.json", "./pipe.json", "."}) {
      const Said s =
          tilescope(std::string(arguments) + (std::string(arguments).ends_with('=') ? "" : " ") + file, folder);
      CHECK_MESSAGE(s.exit_code == 2, arguments);
      CHECK_MESSAGE(s.err.find("cannot be read: it is a ") != std::string::npos, arguments << ": " << s.err);
    }
}

TEST_CASE("output that is lost on a full disk is a failed run that says so") {
  if (!std::filesystem::is_character_file("/dev/full")) {
    MESSAGE("skipped: this machine has no /dev/full");
    return;
  }
  const EmptyFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path / "full.png");
  for (const char* arguments : {"trace copy -o full.png", "bench add n=64 --ms 1 --csv full.png",
                                "schedule add --svg full.png", "run grey out=full.png"}) {
    const Said s = tilescope(arguments, folder);
    CHECK_MESSAGE(s.exit_code == 1, arguments);
    CHECK_MESSAGE(s.err.find("cannot be written: No space left on device") != std::string::npos,
                  arguments << ": " << s.err);
  }
  CHECK(std::filesystem::is_symlink(folder.path / "full.png"));
  for (const char* arguments :
       {"run copy > /dev/full;", "list --json > /dev/full;", "run --help > /dev/full;", "run copy >&-;"}) {
    const Said s = tilescope(std::string(arguments) + " echo code $?", folder);
    CHECK_MESSAGE(s.out == "code 1\n", arguments);
  }
}
