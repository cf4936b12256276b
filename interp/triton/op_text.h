// One call of an op as C++.
#pragma once

#include "interp/triton/emission.h"

namespace tl::triton {

class OpText {
 public:
  OpText(Emission& e, const cpu::Function& op, const std::vector<Term>& given, const Value& result, const cpu::Place* p)
      : e_(e), op_(op), given_(given), result_(result), place_(p) {}
  std::string text() const;

 private:
  bool has(std::size_t i) const { return i < given_.size() && given_[i].value.data.is_given(); }
  template <class T>
  bool is(std::size_t i) const {
    return given_[i].value.data.is<T>();
  }
  std::string operand(std::size_t i) const { return triton::operand(given_[i], Level::comparison); }
  std::string whole(std::size_t i) const { return triton::operand(block_term(i)); }
  Term block_term(std::size_t i) const;
  std::string block(std::size_t i) const;  // a number is a scalar
  std::string dtype(std::size_t i) const { return dtype_text(given_[i].value.data.as<cpu::ElementType>().value); }
  bool flag(std::size_t i) const { return has(i) && given_[i].value.data.as<cpu::Constant>().value != 0; }
  std::string_view word(std::size_t i) const {
    return has(i) ? given_[i].value.data.as<cpu::TextConstant>().value : "";
  }
  long long integer(std::size_t i) const { return given_[i].value.data.as<cpu::Constant>().value; }
  int rank(std::size_t i) const;
  std::string axis(std::size_t i, int rank) const;  // 1_c, from 0 on
  std::string shape(std::size_t i) const;
  std::string axes(std::size_t i, int rank) const;
  std::string values(std::size_t i) const;  // a, b
  std::string shape_of_result() const;
  std::string call(const std::vector<std::string>& arguments) const;  // tl.NAME(..)
  std::string options(std::vector<std::pair<std::string_view, std::string>> given) const;

  std::optional<std::string> creation() const;
  std::optional<std::string> shaped() const;
  std::optional<std::string> reduced() const;
  std::optional<std::string> moved() const;
  std::optional<std::string> in_memory() const;
  std::optional<std::string> by_descriptor() const;
  std::optional<std::string> lane_by_lane() const;
  std::optional<std::string> debugging() const;
  std::string static_print() const;
  std::string dot() const;
  std::string dot_scaled() const;
  std::string reduction(std::size_t keep_dims) const;
  std::string with_index() const;
  std::string combined(std::size_t x, const std::string& rest) const;

  Emission& e_;
  const cpu::Function& op_;
  const std::vector<Term>& given_;
  const Value& result_;
  const cpu::Place* place_;
};

}  // namespace tl::triton
