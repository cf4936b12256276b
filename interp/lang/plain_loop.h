// What a plain loop is given that says what a case's outputs should be: the tensors as arrays of doubles, the numbers.
#pragma once

#include <math.h>

namespace tl {

class LoopCase;

// A tensor's values, row by row, whatever its dtype and strides: x(i, j).
struct LoopArray {
  double* values;
  long long sizes[4];
  int rank;
  const LoopCase* of;
  const char* name;

  long long size(int axis) const { return axis < rank ? sizes[axis] : 1; }
  template <class... I>
  double& operator()(I... i) const;
};

class LoopCase {
 public:
  // A tensor as it is before the kernel runs; of an output, what it should be: NaN until the loop says.
  virtual LoopArray operator[](const char* name) = 0;
  virtual double operator()(const char* name) const = 0;          // a number
  virtual bool is(const char* name, const char* text) const = 0;  // a constant that is a text
  // An array of the loop's own.
  template <class... N>
  LoopArray zeros(N... sizes) {
    const long long all[] = {static_cast<long long>(sizes)...};
    return made(all, sizeof...(N));
  }

  [[noreturn]] virtual void refuse(const LoopArray& array, const long long* index, int count) const = 0;

 protected:
  ~LoopCase() = default;
  virtual LoopArray made(const long long* sizes, int rank) = 0;
};

template <class... I>
double& LoopArray::operator()(I... i) const {
  constexpr int count = sizeof...(I);
  const long long index[count + 1] = {static_cast<long long>(i)...};
  long long at = 0;
  bool is_inside = count == rank;
  for (int k = 0; is_inside && k < count; ++k) {
    is_inside = index[k] >= 0 && index[k] < sizes[k];
    at = at * sizes[k] + index[k];
  }
  if (!is_inside) of->refuse(*this, index, count);
  return values[at];
}

}  // namespace tl
