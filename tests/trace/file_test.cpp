// What is written is read back whole; what is foreign, cut short, newer or damaged is named. CRC-32's check value is
// the standard's.
#include "interp/trace/file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "interp/trace/bytes.h"
#include "tests/debug/fake_run.h"
#include "tests/has.h"

using namespace tl::trace;

namespace {

std::string written(const RecordedTrace& t) {
  std::ostringstream out;
  write(t, out);
  return out.str();
}
RecordedTrace reread(const std::string& bytes) { return read(std::as_bytes(std::span(bytes.data(), bytes.size()))); }
std::string error_of(const std::string& bytes) {
  try {
    reread(bytes);
  } catch (const tl::Error& e) {
    return e.what();
  }
  return "";
}
RecordedTrace rich_trace() {
  fake::Run run("toy_kernel", fake::copy_wrong_text);
  run.add_tensor("x", {1, 2, 3, 4});
  run.begin(3);
  const fake::Value ramp = run.ints({5, 8, 11, 14});
  const fake::Value odd = run.floats({1, -2, 0.5f, 9});
  run.at("tl.arange").op(Op::arange, {}, {&ramp});
  run.assign(0, ramp);
  run.at("tl.load").load(0, {3, 0, 2, 1}, {1, 0, 1, 1}, odd);
  run.assign(0, odd);
  run.at("tl.store").store(0, {0, 1, 2, 3}, {}, {9, 8, 7, 6});
  run.forget(0);
  run.fault({.kind = tl::FaultKind::out_of_bounds,
             .site = {},
             .program = {3, 0, 0},
             .lane = 2,
             .tensor = "x",
             .element = 4,
             .headline = "h",
             .detail = "d",
             .fix = "f"});
  run.end(3);
  return run.take();
}

}  // namespace

TEST_CASE("file: a trace read back is written to the same bytes") {
  RecorderOptions in_pages;
  in_pages.others = Keep::nothing;
  for (const std::string& bytes : {written(fake::wrong_copy()), written(fake::wrong_copy(in_pages)),
                                   written(rich_trace()), written(RecordedTrace{})})
    CHECK(written(reread(bytes)) == bytes);
}

TEST_CASE("file: wrong elements survive, and that nobody knows of them") {
  RecordedTrace trace = fake::wrong_copy();
  CHECK(!reread(written(trace)).wrong);
  trace.wrong = {{"y", {}}, {"z", {0, 7, 1'000'000'000'000}}};
  CHECK(reread(written(trace)).wrong == trace.wrong);
}

TEST_CASE("file: values, accesses, faults and the kernel's text survive") {
  const RecordedTrace t = reread(written(rich_trace()));
  REQUIRE(t.programs.size() == 1);
  const RecordedProgram& p = t.programs[0];
  CHECK(p.id == tl::ProgramId{3, 0, 0});
  CHECK(p.values[0].form == Form::affine);
  CHECK(element_as_int(p.values[0], 3) == 14);
  CHECK(element_as_double(p.values[1], 1) == -2);
  CHECK((p.accesses[0].offset(2) == 2 && !p.accesses[0].is_active(1) && p.accesses[0].active == 3));
  CHECK(p.accesses[1].effect != nullptr);
  REQUIRE(p.faults.size() == 1);
  CHECK((p.faults[0].fault.headline == "h" && p.faults[0].fault.element == 4 &&
         std::string(p.faults[0].fault.site.file) == "kernel.h"));
  REQUIRE(t.sources.size() == 1);
  CHECK(t.sources[0].text == fake::copy_wrong_text);
}

TEST_CASE("file: values stay in their order and whole, long ones between short ones") {
  fake::Run run("toy_kernel", fake::copy_wrong_text);
  std::vector<float> squares(5000);
  for (std::size_t i = 0; i < squares.size(); ++i) squares[i] = static_cast<float>(i * i % 997);
  run.add_tensor("x", squares);
  run.begin(0);
  const fake::Value before = run.floats({3, 1, 2}), whole = run.floats(squares), after = run.floats({6, 4, 5});
  for (const fake::Value* v : {&before, &whole, &whole, &after}) run.at("tl.load").op(Op::exp, {}, {v});
  run.end(0);
  const RecordedTrace t = reread(written(run.take()));
  const auto& values = t.programs[0].values;
  CHECK(element_as_double(values.front(), 2) == 2);
  CHECK(element_as_double(values.back(), 2) == 5);
  for (std::size_t i = 0; i < squares.size(); ++i)
    REQUIRE(element_as_double(values[1], static_cast<std::int64_t>(i)) == squares[i]);
  REQUIRE(t.launches[0].tensors[0].before.size() == 20'000);
  CHECK(std::memcmp(t.launches[0].tensors[0].before.data(), squares.data(), 20'000) == 0);
}

TEST_CASE("file: what is no trace is called so") {
  CHECK(error_of("") == "not a tilescope trace");
  CHECK(error_of("hello, this is a text file") == "not a tilescope trace");
  CHECK(error_of(std::string("\x89PNG\r\n\x1a\n", 8) + std::string(100, 'x')) == "not a tilescope trace");
}

TEST_CASE("file: a newer version is named with both numbers") {
  std::string bytes = written(rich_trace());
  bytes[8] = 7;
  CHECK(has(error_of(bytes), "made by a newer version (format 7, this program reads up to 5)"));
}

namespace {

// A part of a file: its tag and payload, correctly checksummed.
std::string part(const std::string& tag, const std::string& payload) {
  const auto bytes = [](const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); };
  std::string out = tag;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(payload.size() >> (8 * i));
  out += payload;
  const std::uint32_t crc = crc32(bytes(payload), crc32(bytes(tag)));
  for (int i = 0; i < 4; ++i) out += static_cast<char>(crc >> (8 * i));
  return out;
}
std::string text_of(const ByteWriter& w) {
  std::string text;
  w.for_each_piece([&](auto piece) { text.append(reinterpret_cast<const char*>(piece.data()), piece.size()); });
  return text;
}
std::string list_of_ops(const std::vector<std::string>& names) {
  ByteWriter w;
  w.number(names.size());
  for (const std::string& n : names) w.text(n);
  return text_of(w);
}
// The file with another list of ops, or none.
std::string with_ops(std::string bytes, const std::string& other) {
  std::vector<std::string> names;
  for (const tl::OpInfo& op : tl::op_table) names.emplace_back(op.name);
  const std::string own = part("OPSN", list_of_ops(names));
  return bytes.replace(bytes.find(own), own.size(), other);
}

}  // namespace

TEST_CASE("file: ops are read by their names, whatever order a writer numbers them in") {
  std::vector<std::string> names;
  for (const tl::OpInfo& op : tl::op_table) names.emplace_back(op.name);
  const auto swapped = [&](const char* a, const char* b) {
    std::swap(*std::ranges::find(names, a), *std::ranges::find(names, b));
  };
  swapped("arange", "dot");
  swapped("load", "exp");
  const RecordedTrace t = reread(with_ops(written(rich_trace()), part("OPSN", list_of_ops(names))));
  CHECK(t.programs[0].steps[0].op == Op::dot);  // what the file calls arange stands where it calls dot
  CHECK(t.programs[0].steps[1].op == Op::exp);
  CHECK(t.programs[0].steps[2].op == Op::store);
}

TEST_CASE("file: a trace of format 2, which has no list of ops, keeps its numbers") {
  RecordedTrace old = rich_trace();
  old.programs[0].variables.clear();
  old.programs[0].faults.clear();
  std::string bytes = with_ops(written(old), "");
  CHECK(has(error_of(bytes), "a program before the list of ops"));
  bytes[8] = 2;
  const std::size_t at = bytes.find("PROG");  // it ends with three counts of nothing: format 2 has none of scopes
  const std::size_t size = static_cast<unsigned char>(bytes[at + 4]) + 256u * static_cast<unsigned char>(bytes[at + 5]);
  bytes.replace(at, 12 + size + 4, part("PROG", bytes.substr(at + 12, size - 1)));
  const RecordedTrace t = reread(bytes);
  CHECK(t.programs[0].steps[0].op == Op::arange);
  CHECK(t.programs[0].steps[1].op == Op::load);
  CHECK(t.programs[0].steps[2].op == Op::store);
}

TEST_CASE("file: an op that this program lacks is named where a step uses it") {
  const auto read_with = [](const std::string& lost) {
    std::vector<std::string> names;
    for (const tl::OpInfo& op : tl::op_table) names.push_back(op.name == lost ? "teleport" : std::string(op.name));
    return with_ops(written(rich_trace()), part("OPSN", list_of_ops(names)));
  };
  CHECK(has(error_of(read_with("arange")), "an op that this program does not know: \"teleport\""));
  CHECK(reread(read_with("cumsum")).programs[0].steps[0].op == Op::arange);
}

TEST_CASE("file: cut at any byte, it says where it ends or that a part is missing") {
  const std::string bytes = written(rich_trace());
  for (std::size_t n = 8; n < bytes.size(); ++n)
    CHECK(has(error_of(bytes.substr(0, n)), "cut short at byte " + std::to_string(n)));
}

TEST_CASE("file: any byte changed is noticed") {
  const std::string bytes = written(rich_trace());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string changed = bytes;
    changed[n] = static_cast<char>(changed[n] ^ 0x55);
    CHECK_FALSE(error_of(changed).empty());
  }
  CHECK(has(error_of(bytes + "x"), "followed by 1 foreign bytes"));
}

TEST_CASE("file: a payload that lies is refused though its checksum fits") {
  // A chunk PROG before any launch, correctly checksummed.
  ByteWriter program;
  program.number(0);
  std::string bytes = written(RecordedTrace{}).substr(0, 12);
  bytes += part("PROG", text_of(program));
  CHECK(has(error_of(bytes), "a program before its launch"));
}

TEST_CASE("crc32: the standard's check value, a pangram's as zlib has it, and in two pieces") {
  const auto crc = [](std::string_view text, std::uint32_t seed = 0) {
    return crc32(std::as_bytes(std::span(text.data(), text.size())), seed);
  };
  CHECK(crc("123456789") == 0xCBF43926u);
  CHECK(crc("The quick brown fox jumps over the lazy dog") == 0x414FA339u);
  CHECK(crc("x jumps over the lazy dog", crc("The quick brown fo")) == 0x414FA339u);
}

TEST_CASE("file: a folder that does not exist is an error, and nothing is left behind") {
  CHECK_THROWS_AS(save(rich_trace(), "/nonexistent/folder/x.tltrace"), tl::Error);
  CHECK_THROWS_AS(load("/nonexistent/x.tltrace"), tl::Error);
  CHECK_THROWS_AS(load("/"), tl::Error);
}
