// A compiler's message in the language's words: f32[1024] for tl::Block<float, tl::Shape<1024>, tl::Layout<...>>.
#pragma once

#include <string>
#include <string_view>

namespace tl::cuda {

std::string plain_words(const std::string& message);

// Without the spaces around it.
std::string trimmed(std::string_view s);

}  // namespace tl::cuda
