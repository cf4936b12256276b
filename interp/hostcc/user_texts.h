// The texts of a user's own that a kernel is made of: its file and what that includes, found by quoted names, each read
// once. The program's own headers and the system's are not among them.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace tl::hostcc {

class UserTexts {
 public:
  // Throws Error for one that is no regular file, or far too large.
  void add(const std::filesystem::path& file);

  const std::string& recipe() const { return recipe_; }  // all paths and texts
  // False where what is compiled may depend on more than the texts: the date, whether a file exists, a computed name.
  bool are_all_known() const { return are_all_known_; }
  // Whether they are all that a compiler read of a user's files, by the rule for make that it wrote, "" where it read
  // nothing but what was precompiled; it ran in `folder` and found the program's headers in `include`.
  bool hold(const std::string& rule, const std::filesystem::path& folder, const std::filesystem::path& include) const;

 private:
  std::set<std::filesystem::path> files_;
  std::string recipe_;
  bool are_all_known_ = true;
};

}  // namespace tl::hostcc
