// A compiler's message in the language's words: f32[1024] for tl::Block<float, tl::Shape<1024>, tl::Layout<...>>.
#pragma once

#include <string>

namespace tl::cuda {

std::string plain_words(const std::string& message);

}  // namespace tl::cuda
