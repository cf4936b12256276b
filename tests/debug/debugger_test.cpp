// The lecture's wrong copy (n = 6, block = 2), whose values and result the lecture prints.
#include "interp/debug/debugger.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "interp/debug/program_line.h"
#include "interp/lang/poison.h"
#include "interp/lang/stop_scope.h"
#include "tests/debug/fake_run.h"
#include "tests/has.h"

using tl::debug::Debugger;

namespace {

// Everything a reader can see at a moment.
std::string whole_view(Debugger& d) {
  return d.prompt() + d.execute("info locals") + d.execute("info tensors") + d.execute("bt") + d.execute("frame");
}

}  // namespace

TEST_CASE("debugger: n steps forward and n back is the identity, by op and by statement") {
  Debugger d(fake::wrong_copy());
  for (const auto& [on, back] : {std::pair("s", "rs"), std::pair("n", "rn")}) {
    d.execute("goto start");
    std::vector<std::string> seen = {whole_view(d)};
    while (true) {
      d.execute(on);
      const std::string now = whole_view(d);
      if (now == seen.back()) break;
      seen.push_back(now);
    }
    CHECK(seen.size() > 5);
    for (std::size_t n = seen.size() - 1; n-- > 0;) {
      d.execute(back);
      CHECK(whole_view(d) == seen[n]);
    }
  }
}

TEST_CASE("debugger: a statement's variable is called as the text calls it") {
  Debugger d(fake::wrong_copy());
  CHECK(has(d.execute("n"), "pid = 0"));
  CHECK(has(d.execute("n"), "offs = [0 1]"));
  CHECK(has(d.execute("n"), "mask = [True True]"));
  CHECK(has(d.execute("n"), "x = [1 2]"));
  CHECK(has(d.execute("info locals"), "offs"));
  d.execute("rn 3");
  CHECK_FALSE(has(d.execute("info locals"), "mask"));
}

TEST_CASE("debugger: an interrupted command says so, and the session stands where it was") {
  Debugger d(fake::wrong_copy());
  const std::string before = d.prompt();
  {
    const std::atomic<bool> stop = true;
    const tl::StopScope scope(&stop);
    CHECK(has(d.execute("c"), "Interrupted."));
    CHECK(has(d.execute("p 1 + z"), "Interrupted."));
  }
  CHECK(d.prompt() == before);
  CHECK(has(d.execute("p 20 + 22"), "= 42"));
}

TEST_CASE("debugger: what cannot be meant is refused with the fact") {
  Debugger d(fake::wrong_copy());
  CHECK(has(d.execute(";"), "';' is not a command"));
  CHECK(has(d.execute("p 9999999999999999999"), "no int64 holds this number"));
  CHECK(has(d.execute("x/0f z[0]"), "a count of 0"));
  CHECK(has(d.execute("info"), "info needs a topic"));
  CHECK(has(d.execute("until 99"), "there is no line 99"));
  d.execute("n 2");
  CHECK(has(d.execute("p offs[99]"), "`info locals` shows the shapes"));
  CHECK(has(d.execute("until 1"), "Line 1 was not reached"));
  CHECK(has(d.execute("catch store"), "3 in this recording"));
}

TEST_CASE("debugger: watch out[37] then rc finds the last writer") {
  Debugger d(fake::wrong_copy());
  d.execute("program 2");
  d.execute("goto end");
  d.execute("watch z[1]");
  CHECK(has(d.execute("rc"), "z[1]: was 2, will be 2, stored by lane 1 of line 7"));
  CHECK(d.session().program().id.x == 2);
  d.execute("rc");
  CHECK(has(d.execute("rc"), "was 0, will be 2"));
  CHECK(d.session().program().id.x == 0);
  CHECK(has(d.execute("c"), "was 0, now 2"));
}

TEST_CASE("debugger: the history of a cell tells every writer") {
  Debugger d(fake::wrong_copy());
  const std::string history = d.execute("history z[0]");
  CHECK(has(history, "before the run: 0"));
  for (const char* program : {"(0,0,0)", "(1,0,0)", "(2,0,0)"}) CHECK(has(history, program));
  CHECK(has(d.execute("history z[3]"), "no recorded program touched z[3]"));
  CHECK(has(d.execute("who z[0]"), "3 programs store here"));
  CHECK(has(d.execute("who z[0:2]"), "3 programs store to one cell of these"));
}

TEST_CASE("debugger: memory is what it was at that moment") {
  Debugger d(fake::wrong_copy());
  CHECK(has(d.execute("p z"), "[0 0 0 0 0 0]"));
  d.execute("goto end");
  CHECK(has(d.execute("p z"), "[1 2 0 0 0 0]"));
  d.execute("goto 0");
  CHECK(has(d.execute("p z"), "[0 0 0 0 0 0]"));
}

TEST_CASE("debugger: memory that nobody has written yet is a question mark, not the NaN that stands there") {
  fake::Run run("copy_wrong_offsets_kernel", fake::copy_wrong_text);
  float unwritten = 0;
  std::memcpy(&unwritten, tl::poison_of(tl::DType::float32).data(), sizeof unwritten);
  run.add_tensor("z", std::vector<float>(3, unwritten));
  run.begin(0);
  run.at("tl.store").store(0, {1}, {1}, {std::numeric_limits<float>::quiet_NaN()});
  run.end(0);
  Debugger d(run.take());
  CHECK(has(d.execute("p z"), "z = [? ? ?]"));
  CHECK(has(d.execute("history z[1]"), "before the run: ?, never written"));
  d.execute("watch z[1]");
  CHECK(has(d.execute("c"), "z[1]: never written, now nan"));
  CHECK(has(d.execute("p z"), "z = [? nan ?]"));
}

TEST_CASE(
    "debugger: a condition that cannot be read is refused when it is set, a variable to come says where it comes") {
  Debugger d(fake::wrong_copy());
  CHECK(has(d.execute("b 6 if any(offs"), "position 9: expected ')' here"));
  CHECK(has(d.execute("info b"), "No stops"));
  d.execute("b 6");
  CHECK(has(d.execute("condition 1 offs >"), "expected a name or a number here"));
  CHECK(has(d.execute("p mask"), "mask has no value yet: line 5 gives it one\n  fix: `goto 3` is right after that"));
  CHECK(has(d.execute("lane 5"), "[Following lane 5 of every block]"));
  CHECK(has(d.execute("program -1"), "this is number 1 of 3"));
}

TEST_CASE("debugger: breakpoints with a pid condition, an expression, ignore and once") {
  Debugger d(fake::wrong_copy());
  d.execute("b 7 pid >1");
  CHECK(has(d.execute("c"), "[Switching focus to program (2,0,0), step 5]"));
  d.execute("rc");
  d.execute("del");
  CHECK(has(d.execute("b 6 if pid == 1 && any(offs > 0) pid <2"), "if pid == 1 && any(offs > 0) in programs <2"));
  d.execute("c");
  CHECK(d.prompt() == "(1,0,0) 3> ");
  d.execute("del");
  d.execute("program 0");
  d.execute("goto start");
  d.execute("tb 5");
  CHECK(has(d.execute("c"), "Temporary breakpoint 3"));
  CHECK(d.prompt() == "(0,0,0) 2> ");
  CHECK(has(d.execute("info b"), "No stops"));
  d.execute("b 5");
  d.execute("ignore 4 1");
  d.execute("c");
  CHECK(d.prompt() == "(2,0,0) 2> ");
}

TEST_CASE("debugger: Enter repeats, prefixes suffice, what is wrong says how to mend it") {
  Debugger d(fake::wrong_copy());
  d.execute("ne");
  d.execute("");
  CHECK(d.session().now().step == 2);
  CHECK(has(d.execute("di"), "could be disable, display"));
  CHECK(has(d.execute("jump"), "no command is called jump"));
  CHECK(has(d.execute("p nothing"), "no variable or tensor is called nothing"));
  CHECK(has(d.execute("b 99"), "has lines 1 to 9"));
  CHECK(has(d.execute("program 7"), "was not recorded"));
  CHECK(has(d.execute("b 3 pid ?"), "= == != < <= > >="));
  CHECK(has(d.execute("b 3 pid"), "`pid` needs a condition after it"));
  CHECK(has(d.execute("n -1"), "'-1' is not a count"));
  CHECK(has(d.execute("l 99"), "has lines 1 to 9"));
  CHECK(has(d.execute("program +9223372036854775807"), "there is no program"));
}

TEST_CASE("debugger: catch mask-empty stops at a load or store that touches nothing") {
  fake::Run run("copy_wrong_offsets_kernel", fake::copy_wrong_text);
  run.add_tensor("x", {1, 2, 3});
  run.info().grid[0] = 2;
  for (const unsigned char on : {1, 0}) {  // the second program is off the tensor's end
    run.begin(1 - on);
    const fake::Value x = run.floats({0, 0});
    run.at("tl.load").load(0, {0, 1}, {on, 0}, x);
    run.end(1 - on);
  }
  Debugger d(run.take());
  d.execute("catch mask-empty");
  CHECK(has(d.execute("c"),
            "Catchpoint 1, catch mask-empty\n  tl.load of line 6 touches nothing of x: all 2 lanes are masked off"));
  CHECK(d.prompt() == "(1,0,0) 1> ");
  CHECK(has(d.execute("rc 2"), "This is the start of the run."));
  CHECK(has(d.execute("catch rain"), "catch fault, oob, nan, race, uninit, wrong, mask-empty or store"));
}

TEST_CASE("debugger: without colours nothing but text comes out") {
  Debugger d(fake::wrong_copy());
  for (const char* line : {"n", "s", "c", "info programs", "info locals", "l", "help", "history z[0]"})
    CHECK_FALSE(has(d.execute(line), "\033"));
}

TEST_CASE("program line: pid, then the variables in the order of their first assignment") {
  const tl::trace::RecordedTrace trace = fake::wrong_copy();
  const tl::debug::Sources sources(trace);
  CHECK(tl::debug::program_line(trace, 1, sources) == "pid = 1 | offs = [0 1], mask = [True True], x = [1 2]");
}
