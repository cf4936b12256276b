// How messages write parts of the language: as the text at hand does, C++ in relu.h, Python in softmax.py.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "interp/lang/op.h"

namespace tl {

class Notation {
 public:
  // The notation of the text of that name; expressions are Python and stand in no file.
  explicit Notation(std::string_view file);

  bool is_python() const { return is_python_; }
  std::string option(std::string_view name) const;  // .other      other
  std::string options(std::initializer_list<std::pair<std::string_view, std::string_view>>) const;
  // {.mask = m}  mask=m
  std::string shape(std::initializer_list<std::string_view> sizes) const;  // tl.shape(1_c, BN)  (1, BN)
  std::string axes(int count) const;                                       // tl.axes(0_c, 1_c)  (0, 1)
  std::string constant(std::string_view) const;                            // 8_c, "e2m1"_c  8, "e2m1"
  std::string number(double) const;                                        // 0, -tl.inf  0, -float('inf')
  std::string column() const { return is_python_ ? "x[:, None]" : "x(_, None)"; }
  std::string row() const { return is_python_ ? "x[None, :]" : "x(None, _)"; }
  std::string op(Op) const;  // x(_, None)  x[:, None]

 private:
  bool is_python_;
};

}  // namespace tl
