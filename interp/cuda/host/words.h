// A compiler's message in the language's words: f32[1024] for tl::Block<float, tl::Shape<1024>, tl::Layout<...>>.
#pragma once

#include <string>

namespace tl::cuda {

std::string plain_words(const std::string& message);

// The call that a frame of the compiler's backtrace stands for, with its arguments' types: "f32[8] + i32[16]",
// "tl.reshape(f32[8], [4, 4])" of `instantiation of "auto tl::operator+(const A &, const B &) [with A=tl::Block<...>,
// B=...]" at line 11`. "" where it cannot be said that short.
std::string call_in_words(const std::string& frame);

}  // namespace tl::cuda
