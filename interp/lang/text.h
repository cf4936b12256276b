// Functions on text that all parts use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl {

// Without the white space around it.
std::string trimmed(std::string_view text);

// Its lines, without their ends.
std::vector<std::string> lines_of(const std::string& text);

// Insertions, deletions, exchanges and swaps of neighbours that make one word the other.
std::size_t edit_distance(std::string_view a, std::string_view b);
// The name that was probably meant: the first with the fewest edits, at most `most`, ignoring case; "" if none is that
// near. Default of `most`: half of the letters, or two.
std::string nearest(std::string_view name, const std::vector<std::string>& names);
std::string nearest(std::string_view name, const std::vector<std::string>& names, std::size_t most);

// softmax_kernel, of tl::kernels::softmax_kernel.
std::string short_name(const std::string& qualified);

// kernels/add.h, of ../kernels/add.h or /home/me/tilescope/kernels/add.h, however the compiler was told to find it;
// what follows stays.
std::string_view project_path(std::string_view reported);

}  // namespace tl
