// The functors of a kernel's text, their parameters, and the case at its head.
#pragma once

#include <string>
#include <vector>

#include "interp/case/words.h"
#include "interp/text/model.h"

namespace tl::cases {

struct Parameter {
  std::string name;
  char kind = '?';                 // t tensor, d descriptor, i int, f float, c constant; ?: nothing in the text says
  bool is_stored = false;          // tl.store or an atomic names it
  bool is_accessed = false;        // where the kind is ?: that, or a load does
  bool has_default = false;        // a launch may leave it out
  std::string short_name() const;  // x of x_ptr and x_desc, which a case may say instead
};

struct Functor {
  std::string name, full_name;  // relu_kernel, tl::kernels::relu_kernel
  std::vector<Parameter> parameters;
  bool multiplies = false, is_ieee = false;  // by tl.dot; f32 exactly, not as tf32
  bool splits_f32 = false;                   // in parts of tf32 or bf16
};

// Structs whose operator() takes tl first, in the order of the text.
std::vector<Functor> functors_of(const text::Model& model);

// // or #, by the file's name.
std::string_view comment_mark(const std::string& file);

// The words behind `// case:`, `# case:` in Python, on as many lines as there are. Those behind `// case NAME:` are of
// that functor alone.
std::vector<Word> case_in(const std::string& file, const std::string& text, const std::string& functor);

// Triton's words for a parameter's kind.
const char* kind_name(char kind);
std::string a_kind(char kind);  // an int_, a float_

}  // namespace tl::cases
