// A kernel's body at random, by a seed: statements, types, branches and loops that Triton takes. Every turn of a loop
// and every branch keeps the types of the variables around it.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace random_body {

enum class Kind {
  whole,
  wide,
  real,
  pointer,
  offsets,
  values,
  halves,
  mask,
  pointers
};  // from `offsets` on blocks of 8
inline constexpr Kind kinds[] = {Kind::whole,  Kind::wide,   Kind::real, Kind::pointer, Kind::offsets,
                                 Kind::values, Kind::halves, Kind::mask, Kind::pointers};

struct Body {
  std::string text, helpers;
};

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  Body made() {
    variables_ = {{"n", Kind::whole}, {"x", Kind::real}, {"offs", Kind::offsets}};
    Body b;
    line("offs = tl.arange(0, 8)");
    block(5 + below(8), 0);
    std::string sum = "0.0";
    for (const auto& v : variables_) sum += " + " + as_values(v.name, v.kind);
    line("total = " + sum);
    line("tl.store(y_ptr + tl.arange(0, 8), tl.where(total == total, total, 1.0))");
    b.text = text_;
    b.helpers = helpers_;
    return b;
  }

 private:
  struct Variable {
    std::string name;
    Kind kind;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }
  void line(const std::string& s) { text_ += std::string(2 * static_cast<std::size_t>(depth_ + 1), ' ') + s + "\n"; }
  static std::string as_values(const std::string& e, Kind k) {
    if (k == Kind::mask) return "tl.where(" + e + ", 1.0, 0.0)";
    return k == Kind::pointer || k == Kind::pointers ? "tl.load(" + e + ")" : "(" + e + ").to(tl.float32)";
  }
  std::string variable(Kind k) {
    std::vector<std::string> all;
    for (const Variable& v : variables_)
      if (v.kind == k) all.push_back(v.name);
    return all.empty() ? "" : any(all);
  }
  std::string literal(Kind k) {
    if (k == Kind::whole) return std::to_string(below(9) - 2);
    return any(std::vector<std::string>{"0.5", "0.1", "2.0", "-1.25", "3.7"});
  }

  std::string expression(Kind k, int depth) {
    const std::string v = variable(k);
    if (depth <= 0 || (chance(25) && !v.empty())) {
      if (!v.empty()) return v;
      switch (k) {
        case Kind::whole: return "n";
        case Kind::real: return "x";
        case Kind::offsets: return "tl.arange(0, 8)";
        case Kind::values: return "tl.full((8,), 0.3, tl.float32)";
        case Kind::halves: return "tl.full((8,), 0.7, tl.float16)";
        case Kind::mask: return "(offs < 5)";
        case Kind::wide: return "n.to(tl.int64)";
        case Kind::pointer: return "(y_ptr + 3)";
        case Kind::pointers: return "(y_ptr + offs)";
      }
    }
    const auto e = [&](Kind kind) { return expression(kind, depth - 1); };
    const auto op = [&](const std::vector<std::string>& signs, Kind a, Kind b) {
      return "(" + e(a) + " " + any(signs) + " " + e(b) + ")";
    };
    switch (k) {
      case Kind::whole:
        switch (below(7)) {
          case 0:
            return "(" + e(k) + " " + any(std::vector<std::string>{"+", "-", "*", "&", "|", "^"}) + " " + literal(k) +
                   ")";
          case 1: return "(" + e(k) + any(std::vector<std::string>{" // ", " % "}) + std::to_string(1 + below(5)) + ")";
          case 2: return "tl.max(" + e(Kind::offsets) + ", 0)";
          case 3: return "tl." + any(std::vector<std::string>{"minimum", "maximum"}) + "(" + e(k) + ", " + e(k) + ")";
          case 4: return helper(k, depth);
          case 5: return "(" + e(k) + " if " + condition(depth - 1) + " else " + e(k) + ")";
          default: return op({"+", "-", "*"}, k, k);
        }
      case Kind::wide:
        switch (below(3)) {
          case 0: return e(Kind::whole) + ".to(tl.int64)";
          case 1: return "tl.sum(" + e(Kind::offsets) + ".to(tl.int64), 0)";
          default: return op({"+", "-", "*"}, k, Kind::whole);
        }
      case Kind::pointer: return "(y_ptr + (" + e(chance(50) ? Kind::whole : Kind::wide) + " & 7))";
      case Kind::pointers: return "(y_ptr + (" + e(Kind::offsets) + " & 7))";
      case Kind::real:
        switch (below(7)) {
          case 6: return "tl.load(" + e(Kind::pointer) + ")";
          case 0: return "(" + e(k) + " " + any(std::vector<std::string>{"+", "-", "*", "/"}) + " " + literal(k) + ")";
          case 1: return "tl.sum(" + e(Kind::values) + ", axis=0)";
          case 2: return "(" + e(Kind::whole) + " / " + std::to_string(1 + below(4)) + ")";
          case 3:
            return "tl." + any(std::vector<std::string>{"exp", "abs", "sin"}) + "(" +
                   (variable(k).empty() ? "x" : variable(k)) + ")";
          case 4: return helper(k, depth);
          default: return op({"+", "-", "*"}, k, k);
        }
      case Kind::offsets:
        switch (below(5)) {
          case 0: return op({"+", "-", "*"}, k, Kind::whole);
          case 1:
            return "(" + e(k) + " " + any(std::vector<std::string>{"+", "*", "&", "<<"}) + " " +
                   std::to_string(below(4)) + ")";
          case 2: return "tl.where(" + e(Kind::mask) + ", " + e(k) + ", " + e(k) + ")";
          case 3: return "tl.cumsum(" + e(k) + ", 0)";
          default: return op({"+", "-", "*"}, k, k);
        }
      case Kind::values:
        switch (below(9)) {
          case 8: return "tl.load(" + e(Kind::pointers) + ")";
          case 0: return op({"+", "-", "*"}, k, Kind::real);
          case 1: return op({"+", "-", "*"}, k, Kind::offsets);
          case 2: return "tl.where(" + e(Kind::mask) + ", " + e(k) + ", " + literal(Kind::real) + ")";
          case 3: return e(Kind::halves) + ".to(tl.float32)";
          case 4:
            return "tl.sum(" + e(k) + "[:, None] * " + e(Kind::offsets) +
                   "[None, :], axis=" + std::to_string(below(2)) + ")";
          case 5: return helper(k, depth);
          case 6: return "tl.load(y_ptr + offs % 8, mask=" + e(Kind::mask) + ", other=0.25)";
          default: return op({"+", "-", "*"}, k, k);
        }
      case Kind::halves:
        switch (below(4)) {
          case 0: return "(" + e(k) + " * " + literal(Kind::real) + ")";
          case 1: return e(Kind::values) + ".to(tl.float16)";
          case 2: return op({"+", "-", "*"}, k, k);
          default: return "-" + (v.empty() ? "tl.full((8,), 0.7, tl.float16)" : v);
        }
      case Kind::mask:
        switch (below(4)) {
          case 0: return op({"<", ">=", "=="}, Kind::offsets, Kind::whole);
          case 1: return op({"<", ">"}, Kind::values, Kind::real);
          case 2: return op({"&", "|", "^"}, k, k);
          default: return "(~" + (v.empty() ? "(offs < 3)" : v) + ")";
        }
    }
    return "0";
  }
  std::string condition(int depth) {
    switch (below(4)) {
      case 0: return "(" + expression(Kind::real, depth) + " > " + literal(Kind::real) + ")";
      case 1:
        return "(" + expression(Kind::whole, depth) + " % 2 == 0 and " + expression(Kind::whole, depth) + " < 20)";
      case 2: return "(not " + expression(Kind::whole, depth) + " > 4)";
      default:
        return "(" + expression(Kind::whole, depth) + any(std::vector<std::string>{" < ", " >= ", " != "}) +
               expression(Kind::whole, depth) + ")";
    }
  }

  // A function of its own: constants that choose, early returns, several values.
  std::string helper(Kind k, int depth) {
    const int number = helpers_made_++, way = below(4);
    const std::string name = "f" + std::to_string(number), constant = std::to_string(below(3));
    const std::string a = expression(k, depth - 1), b = expression(Kind::whole, depth - 1);
    const bool is_block = k == Kind::values;
    std::string body;
    switch (way) {
      case 0: body = "  if K == 1:\n    return a + b\n  elif K == 2:\n    return a * 2\n  return a - b\n"; break;
      case 1:
        body = is_block ? "  if b > 2:\n    return a + b\n  return a * 2.0\n"
                        : "  if b > 2:\n    if a > 1:\n      return a + b\n    a = a + 1\n  r = a * 3\n  return r\n";
        break;
      case 2:
        body =
            "  s = a\n  b = b & 15\n  for i in range(K + 1):\n    s = s + i\n  while b > 3:\n    b -= 2\n    s = s + "
            "b\n  return s\n";
        break;
      default: body = "  p, q = g" + std::to_string(number) + "(a, K)\n  return p + q * b\n"; break;
    }
    if (way == 3) helpers_ += "@triton.jit\ndef g" + std::to_string(number) + "(a, K: tl.constexpr):\n  return a, K\n";
    helpers_ += "@triton.jit\ndef " + name + "(a, b, K: tl.constexpr = 1):\n" + body;
    return name + "(" + a + ", " + b + (chance(50) ? ", " : ", K=") + constant + ")";
  }

  std::string fresh() { return "v" + std::to_string(next_++); }

  void assignment(bool keeps_types) {
    const Kind k = any(std::vector<Kind>(std::begin(kinds), std::end(kinds)));
    const std::string value = expression(k, 3);
    const std::string old = variable(k);
    if (keeps_types) {  // of a variable around, or a new one that ends with the block
      if (old.empty() || old == "offs" || (chance(30) && !is_loop_variable(old))) {
        const std::string name = fresh();
        line(name + " = " + value);
        variables_.push_back({name, k});
      } else if (!is_loop_variable(old)) {
        const bool adds = k != Kind::mask && k != Kind::pointer && k != Kind::pointers && chance(40);
        line(old + (adds ? " += " : " = ") + value);
      }
      return;
    }
    if (chance(30) && variables_.size() > 3) {  // another type under an old name
      Variable& v = variables_[3 + static_cast<std::size_t>(below(static_cast<int>(variables_.size()) - 3))];
      line(v.name + " = " + value);
      v.kind = k;
    } else if (chance(20)) {  // a number
      const std::string name = fresh();
      const Kind number = chance(50) ? Kind::whole : Kind::real;
      line(name + (chance(20) ? ": tl.constexpr" : "") + " = " + literal(number));
      numbers_.push_back({name, number});
    } else if (chance(15) && !old.empty() && old != "offs") {
      const std::string a = fresh(), b = fresh();
      line(a + ", " + b + " = " + old + ", " + value);
      line(a + ", " + b + " = " + b + ", " + a);
      variables_.push_back({a, k});
      variables_.push_back({b, k});
    } else {
      const std::string name = fresh();
      line(name + " = " + value);
      variables_.push_back({name, k});
    }
  }
  bool is_loop_variable(const std::string& name) const {
    for (const std::string& v : loops_)
      if (v == name) return true;
    return false;
  }

  void block(int statements, int level) {
    for (int i = 0; i < statements; ++i) {
      if (!numbers_.empty() && chance(25)) use_number(level);
      const int what = below(level >= 2 ? 6 : 12);
      if (what == 10 || what == 11) loop(level);
      else if (what >= 7) branch(level);
      else if (what == 6) {
        line("if C == " + std::to_string(7 + below(2)) + ":");
        ++depth_;
        inner(1 + below(2), level);
        --depth_;
      } else assignment(level > 0);
    }
  }
  // A number that loops and branches change.
  void use_number(int level) {
    const Variable v = any(numbers_);
    if (level > 0 || chance(50))
      line(v.name + (v.kind == Kind::whole ? " = " : " = ") + v.name +
           any(std::vector<std::string>{" + ", " - ", " * "}) + literal(v.kind));
    else {
      const std::string name = fresh();
      line(name + " = offs * " + v.name);
      variables_.push_back({name, v.kind == Kind::whole ? Kind::offsets : Kind::values});
    }
  }
  // What is new within ends with it.
  void inner(int statements, int level) {
    const auto before = variables_;
    const auto numbers = numbers_;
    const std::size_t at = text_.size();
    block(statements, level + 1);
    if (text_.size() == at) line("pass");
    variables_ = before;
    numbers_ = numbers;
  }
  void branch(int level) {
    const bool makes_both = chance(35);
    const std::string name = fresh();
    const Kind k = any(std::vector<Kind>(std::begin(kinds), std::end(kinds)));
    line("if " + condition(2) + ":");
    ++depth_;
    inner(1 + below(3), level);
    if (makes_both) line(name + " = " + expression(k, 2));
    --depth_;
    if (makes_both || chance(50)) {
      line("else:");
      ++depth_;
      inner(1 + below(2), level);
      if (makes_both) line(name + " = " + expression(k, 2));
      --depth_;
    }
    if (makes_both) variables_.push_back({name, k});
  }
  void loop(int level) {
    const std::string i = fresh();
    const int way = below(4);
    if (way == 3) {
      line(i + " = 0");
      line("while " + i + " < " + std::to_string(1 + below(3)) + ":");
    } else {
      const std::string bounds = way == 0   ? std::to_string(below(4))
                                 : way == 1 ? "0, tl.minimum(n, 3), " + std::to_string(1 + below(2))
                                            : "2";
      line("for " + i + " in " + (way == 0 ? "tl.range(" : way == 1 ? "range(" : "tl.static_range(") + bounds + "):");
    }
    loops_.push_back(i);
    ++depth_;
    if (way == 3) line(i + " += 1");
    const auto before = variables_;
    variables_.push_back({i, Kind::whole});
    if (way == 2) variables_.back().name = "(" + i + " + n)";
    loops_.push_back(variables_.back().name);
    inner(1 + below(3), level);
    if (way != 2 && chance(25)) {
      line("if " + i + " == 1:");
      ++depth_;
      if (chance(60)) assignment(true);
      line(chance(50) ? "break" : "continue");
      --depth_;
    }
    variables_ = before;
    --depth_;
  }

  std::mt19937 random_;
  std::string text_, helpers_;
  std::vector<Variable> variables_, numbers_;
  std::vector<std::string> loops_;
  int depth_ = 0, next_ = 0, helpers_made_ = 0;
};

inline Body body(unsigned seed) { return Maker(seed).made(); }

}  // namespace random_body
