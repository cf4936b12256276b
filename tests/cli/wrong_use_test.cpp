// Wrong use: exit code 2, nothing on stdout, one clear sentence and its fix on stderr.
#include <doctest/doctest.h>

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
           Case{"run copy bolck=4", "no setting \"bolck\"", "did you mean block?"},
           Case{"run copy n", "\"n\" is no name=value", "n=6"},
           Case{"run copy n=many", "n=many is no integer", "n=6"},
           Case{"run copy n=0", "out of range", "choose n from 1"},
           Case{"run copy n=99999999999", "out of range", "choose n from 1"},
           Case{"run copy block=3", "no power of two", "block=2 or block=4"},
           Case{"run copy --jsn", "no option \"--jsn\"", "did you mean --json?"},
           Case{"run copy --order up", "--order cannot be \"up\"", "sequential|reversed|shuffled"},
           Case{"run copy --device gpu", "--device cannot be \"gpu\"", "cpu|cuda"},
           Case{"run copy --threads 0", "--threads cannot be \"0\"", "1..4096"},
           Case{"run copy --seed", "--seed needs a value", "--seed N"},
           Case{"run copy --print '>'", "condition '>'", "'>1,=0'"},
           Case{"run copy --show w", "no tensor \"w\"", "choose from z, x"},
           Case{"run copy --check everything", "no check \"everything\"", "uninit, race"},
           Case{"run copy --device cuda --threads 2", "--threads is the interpreter's", "leave out"},
           Case{"run copy --show x --show z", "--show was given more than once", "give it once"},
           Case{"run grey image=none.png", "there is no such file", "PNG or JPEG"},
           Case{"run grey image=/tmp", "it is a folder", "PNG or JPEG"},
           Case{"run grey out=grey.bmp", "neither PNG nor JPEG", "end its name in .png or .jpg"},
           Case{"bench", "needs to know which kernel", "--help"},
           Case{"bench add --sweep n=1:2", "has no step", "n=1024:65536:x2"},
           Case{"bench add --sweep m=1:4:x2", "no setting \"m\"", "did you mean n?"},
           Case{"bench add --plot p.svg", "needs a sweep", "--sweep"},
           Case{"compile", "takes a kernel or --all", "tilescope compile matmul"},
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
  const Said s = tilescope("bench add n=1024 --ms 1 --csv /nowhere/t.csv");
  CHECK(s.exit_code == 2);
  CHECK(s.err.find("\"/nowhere/t.csv\" cannot be written") != std::string::npos);
}
