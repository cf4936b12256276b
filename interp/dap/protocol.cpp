#include "interp/dap/protocol.h"

#include <fmt/format.h>

#include <charconv>
#include <istream>

#include "interp/lang/text.h"

namespace tl::dap {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

std::size_t length_in(const std::string& text) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc{} || end != text.data() + text.size() || length > most_bytes)
    throw Error(fmt::format("a message's Content-Length is \"{}\"", text), "its bytes, at most 64 MB");
  return length;
}

// The length in the next header. It is looked for within lines too: after a message with a wrong length, the rest of
// that stands before it.
std::optional<std::size_t> next_length(std::istream& in) {
  constexpr std::string_view name = "Content-Length:";
  std::optional<std::size_t> length;
  bool is_empty = true;
  for (std::string line; std::getline(in, line);) {
    line = trimmed(line);
    if (line.empty() && length) return length;
    if (line.empty() && !is_empty)
      throw Error("a message has no Content-Length", "Content-Length: 119, an empty line, and so many bytes of JSON");
    is_empty = line.empty();
    if (const std::size_t at = line.rfind(name); at != std::string::npos)
      length = length_in(trimmed(line.substr(at + name.size())));
  }
  return std::nullopt;
}

std::string utf8_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json* member(const Json& arguments, const char* name) {
  if (!arguments.is_object()) return nullptr;
  const auto found = arguments.find(name);
  return found == arguments.end() || found->is_null() ? nullptr : &*found;
}

template <class T>
T value_of(const Json& arguments, const char* name, bool (Json::*is_kind)() const, const char* kind,
           std::optional<T> otherwise) {
  const Json* const value = member(arguments, name);
  if (!value && otherwise) return *otherwise;
  if (!value) throw Error(fmt::format("the request has no \"{}\"", name), kind);
  if (!(value->*is_kind)()) throw Error(fmt::format("\"{}\" cannot be {}", name, utf8_text(*value)), kind);
  return value->get<T>();
}

}  // namespace

std::optional<Json> read_message(std::istream& in) {
  const auto length = next_length(in);
  if (!length) return std::nullopt;
  std::string body(*length, '\0');
  if (!in.read(body.data(), static_cast<std::streamsize>(*length))) return std::nullopt;
  try {
    return Json::parse(body);
  } catch (const Json::parse_error& e) {
    throw Error(fmt::format("a message is not JSON, at its byte {}", e.byte), "one JSON object a message");
  } catch (const Json::exception&) {  // out_of_range of 1e400
    throw Error("a message holds a number that is too large", "numbers up to 1.8e308");
  }
}

std::string with_header(const Json& message) {
  const std::string body = utf8_text(message);
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

std::int64_t integer_of(const Json& arguments, const char* name, std::optional<std::int64_t> otherwise) {
  return value_of(arguments, name, &Json::is_number_integer, "a whole number", otherwise);
}

std::string text_of(const Json& arguments, const char* name, std::optional<std::string> otherwise) {
  return value_of(arguments, name, &Json::is_string, "a text", otherwise);
}

bool flag_of(const Json& arguments, const char* name, bool otherwise) {
  return value_of(arguments, name, &Json::is_boolean, "true or false", std::optional(otherwise));
}

const Json& list_of(const Json& arguments, const char* name) {
  static const Json none = Json::array();
  const Json* const value = member(arguments, name);
  if (value && !value->is_array()) throw Error(fmt::format("\"{}\" is not a list", name), "[...]");
  return value ? *value : none;
}

}  // namespace tl::dap
