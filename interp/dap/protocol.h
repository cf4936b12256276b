// Messages of the Debug Adapter Protocol: JSON texts, each behind a header with its length.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "interp/lang/error.h"

namespace tl::dap {

using Json = nlohmann::json;

// The next message; none where the input has ended. Throws Error for one that is damaged, after which the next can be
// read.
std::optional<Json> read_message(std::istream& in);

// The message with its header. Invalid UTF-8 is replaced.
std::string with_header(const Json& message);

// A member of a request's arguments. Throws Error where it is of another kind, or missing though no `otherwise` is
// given.
std::int64_t integer_of(const Json& arguments, const char* name, std::optional<std::int64_t> otherwise = {});
std::string text_of(const Json& arguments, const char* name, std::optional<std::string> otherwise = {});
bool flag_of(const Json& arguments, const char* name, bool otherwise);
const Json& list_of(const Json& arguments, const char* name);  // an empty one if it is missing

}  // namespace tl::dap
