// Common mistakes of those who come from Python or use another keyboard, recognized by the line that a compiler
// rejects, in the words of any compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tl {

struct Habit {
  std::string headline, fix;
};

// Finds the mistake from a compiler's message and the line that it names. Comments and quoted text are ignored.
std::optional<Habit> habit_in(const std::string& message, const std::string& line);

// Where `a // b` begins a comment instead of dividing; npos: nowhere. Compilers complain about the text that follows.
std::size_t floor_division_in(const std::string& line);
Habit floor_division();

// The members of tl: the ops, and the dtypes, shapes and options that they take, as interp/LANGUAGE.md lists them.
const std::vector<std::string>& op_names();
// For a name that tl lacks. Where Triton or NumPy has it: that this language does not, and what to write instead; else
// the nearest op (load for laod); else where to look.
Habit missing_op(const std::string& name);
// The same for names that Triton or NumPy has; empty for any other.
std::optional<Habit> op_of_others(const std::string& name);
// For an undeclared name: an op without its tl., or a function that other languages have.
std::optional<Habit> op_without_tl(const std::string& name, const std::string& line);
// How an op is called, by the table of ops: "it is called as in tl.sum(x, 0)"; "" for an unknown name.
std::string usage_of(const std::string& op);
// For a call of tl.load or tl.store in that line: an option that it does not have.
std::optional<Habit> foreign_option(const std::string& op, const std::string& line);
// For a text behind an option of an access or an atomic: a word that it does not know.
bool is_option_of_words(const std::string& option);  // .eviction_policy and its like
std::optional<Habit> wrong_word(const std::string& option, const std::string& word);

}  // namespace tl
