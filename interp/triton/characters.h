// Which characters names are made of, and what those that no Python has stand for.
#pragma once

#include <string_view>

namespace tl::triton {

// For an ASCII letter, digit or _, or a letter of another script: `text` begins with a whole character.
bool begins_with_letter(std::string_view text);

// What was meant by a character that looks alike, as web pages and word processors write it: "-" of a long dash. ""
// where nothing is.
std::string_view meant_by(std::string_view character);

}  // namespace tl::triton
