#include "interp/hostcc/user_texts.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "interp/lang/input_file.h"
#include "interp/text/lexer.h"

namespace tl::hostcc {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_bytes = 4 << 20;

// The name in #include "name"; "" of another directive.
std::string quoted_name(std::string_view directive) {
  const auto skip = [&](std::string_view word) {
    directive.remove_prefix(std::min(directive.size(), directive.find_first_not_of(" \t")));
    const bool is_there = directive.starts_with(word);
    if (is_there) directive.remove_prefix(word.size());
    return is_there;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return "";
  return std::string(directive.substr(0, directive.find('"')));
}

// The files of `target: file file \ file`, where a space within a name is written `\ `.
std::vector<std::string> files_of(const std::string& rule) {
  std::vector<std::string> files;
  std::string name;
  const auto end_name = [&] {
    if (!name.empty()) files.push_back(std::move(name));
    name.clear();
  };
  const std::size_t colon = rule.find(": ");
  for (std::size_t i = colon == std::string::npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (rule[i] == '\\' && next == '\n') ++i;
    else if ((rule[i] == '\\' && (next == ' ' || next == '#')) || (rule[i] == '$' && next == '$')) name += rule[++i];
    else if (std::isspace(static_cast<unsigned char>(rule[i]))) end_name();
    else name += rule[i];
  }
  end_name();
  return files;
}

}  // namespace

void UserTexts::add(const fs::path& file) {
  std::error_code unknown;
  if (!files_.insert(fs::weakly_canonical(file, unknown)).second) return;
  const std::string text = read_regular_file(file, most_bytes, "take the line out, or make it a C++ text");
  recipe_ += file.string() + '\n' + std::to_string(text.size()) + '\n' + text;
  for (const char* word : {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_include", "__has_embed", "incbin", "#embed"})
    are_all_known_ &= text.find(word) == std::string::npos;
  for (const text::Token& token : text::lex_with_comments(text)) {
    if (token.kind != text::TokenKind::directive) continue;
    const std::string name = quoted_name(token.text);
    if (name.empty()) continue;
    const fs::path candidate = file.parent_path() / name;
    if (fs::exists(candidate, unknown)) add(candidate);
  }
}

bool UserTexts::hold(const std::string& rule, const fs::path& folder, const fs::path& include) const {
  const auto files = files_of(rule);
  std::error_code unknown;
  const fs::path own = fs::weakly_canonical(include, unknown);
  return std::ranges::all_of(files, [&](const fs::path& file) {
    if (file == "-") return true;  // the launcher
    const fs::path path = fs::weakly_canonical(folder / file, unknown);
    return files_.contains(path) || std::mismatch(own.begin(), own.end(), path.begin(), path.end()).first == own.end();
  });
}

}  // namespace tl::hostcc
