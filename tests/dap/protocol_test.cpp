// Messages as they come over the wire, damaged ones too; the recording is the lecture's wrong copy.
#include <doctest/doctest.h>

#include <sstream>

#include "interp/dap/serve.h"
#include "tests/debug/fake_run.h"
#include "tests/has.h"

using tl::dap::Json;

namespace {

std::string request(int seq, const char* command, Json arguments = Json::object()) {
  return tl::dap::with_header({{"type", "request"}, {"seq", seq}, {"command", command}, {"arguments", arguments}});
}

// All that is said to an input.
std::vector<Json> served(const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  tl::dap::serve(in, out, [](const auto&, const auto&) { return fake::wrong_copy(); });
  std::istringstream answers(out.str());
  std::vector<Json> all;
  while (const auto message = tl::dap::read_message(answers)) all.push_back(*message);
  return all;
}

std::vector<std::string> texts_of(const std::vector<Json>& messages, const char* command) {
  std::vector<std::string> all;
  for (const Json& m : messages)
    if (m.value("command", "?") == command) all.push_back(m.value("message", "well"));
  return all;
}

}  // namespace

TEST_CASE("dap: messages are counted, and a response names its request") {
  const auto said = served(request(7, "initialize"));
  REQUIRE(said.size() == 1);
  CHECK(said[0]["seq"] == 1);
  CHECK(said[0]["request_seq"] == 7);
  CHECK(said[0]["body"]["supportsStepBack"] == true);
}

TEST_CASE("dap: after a damaged message the next one is answered") {
  const std::string good = request(2, "initialize");
  for (const std::string& damaged :
       {"Content-Length: 5\r\n\r\n{\"a\"}", "Content-Length: 9\r\n\r\n{\"type\":1}}}}", "Content-Length: x\r\n\r\n",
        "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "Length: 3\r\n\r\n",
        "Content-Length: 2\r\n\r\n[]", "Content-Length: 4\r\n\r\nnull",
        "Content-Length: 18\r\n\r\n{\"type\":\"request\"}", "Content-Length: 2\r\n\r\n\xff\xfe"}) {
    CAPTURE(damaged);
    const auto said = served(damaged + std::string("\r\n") + good);
    CHECK(texts_of(said, "initialize") == std::vector<std::string>{"well"});
    REQUIRE(!said.empty());
    CHECK(said[0]["success"] == false);
    CHECK(!said[0]["message"].get<std::string>().empty());
  }
}

TEST_CASE("dap: an input that ends within a message ends the session") {
  CHECK(served("Content-Length: 100\r\n\r\n{\"type\"").empty());
  CHECK(served("Content-Le").empty());
  CHECK(served("").empty());
}

TEST_CASE("dap: an argument of another kind is told by its name") {
  const auto said = served(request(1, "launch", {{"program", "x"}}) + request(2, "stackTrace", {{"threadId", "one"}}) +
                           request(3, "stackTrace") + request(4, "setBreakpoints", {{"breakpoints", 3}}));
  const auto traces = texts_of(said, "stackTrace");
  REQUIRE(traces.size() == 2);
  CHECK(has(traces[0], "\"threadId\" cannot be \"one\""));
  CHECK(has(traces[1], "the request has no \"threadId\""));
  CHECK(has(texts_of(said, "setBreakpoints").at(0), "\"breakpoints\" is not a list"));
}

TEST_CASE("dap: a request to pause that waits stops a move at once") {
  std::vector<Json> said;
  std::atomic<bool> stop = false;
  tl::dap::Adapter adapter([](const auto&, const auto&) { return fake::wrong_copy(); },
                           [&](const Json& message) { said.push_back(message); }, stop);
  adapter.handle({{"type", "request"}, {"seq", 1}, {"command", "launch"}, {"arguments", {{"program", "x"}}}});
  stop = true;
  adapter.handle({{"type", "request"}, {"seq", 2}, {"command", "continue"}});
  CHECK(said.back()["event"] == "stopped");
  CHECK(said.back()["body"]["reason"] == "pause");
}

TEST_CASE("dap: wrong values stop where they are stored, and why is asked of the case") {
  std::vector<Json> said;
  std::atomic<bool> stop = false;
  tl::dap::Adapter adapter(
      [](const auto&, const auto&) {
        tl::trace::RecordedTrace trace = fake::wrong_copy();
        trace.wrong = {{"z", {1}}};
        return trace;
      },
      [&](const Json& message) { said.push_back(message); }, stop,
      [](const auto& request, const std::string& cell, const auto&) {
        return request.program + ": " + cell + " is not stored\n";
      });
  int seq = 0;
  const auto ask = [&](const char* command, const Json& arguments) {
    adapter.handle({{"type", "request"}, {"seq", ++seq}, {"command", command}, {"arguments", arguments}});
    return said.back();
  };
  ask("launch", {{"program", "copy.py"}});
  CHECK(ask("setExceptionBreakpoints", {{"filters", {"wrong"}}})["body"]["breakpoints"][0]["verified"] == true);
  const Json stopped = ask("continue", {{"threadId", 1}});
  CHECK_MESSAGE(has(stopped["body"].value("description", ""), "stores z[1], which is wrong"), stopped.dump());
  for (const char* context : {"repl", "watch", "hover"})
    CHECK(ask("evaluate", {{"expression", "why z[1]"}, {"context", context}})["body"]["result"] ==
          "copy.py: z[1] is not stored");
  CHECK(ask("evaluate", {{"expression", "continue"}, {"context", "watch"}})["success"] == false);
}

TEST_CASE("dap: lines and columns are counted as the client asks") {
  const auto place = [](bool from_1) {
    const auto said = served(request(1, "initialize", {{"linesStartAt1", from_1}, {"columnsStartAt1", from_1}}) +
                             request(2, "launch", {{"program", "x"}}) + request(3, "stackTrace", {{"threadId", 1}}));
    const Json frame = said.back()["body"]["stackFrames"][0];
    return std::pair(frame["line"].get<int>(), frame["column"].get<int>());
  };
  CHECK(place(true).first == place(false).first + 1);
  CHECK(place(true).second == place(false).second + 1);
}
