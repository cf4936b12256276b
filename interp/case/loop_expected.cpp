#include "interp/case/loop_expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "interp/case/fill.h"
#include "interp/lang/error.h"

namespace tl::cases {
namespace {

class Case final : public LoopCase {
 public:
  Case(const Word& word, const std::vector<Tensor>& outputs, const std::vector<Tensor>& before, const Scope& scope)
      : word_(word), scope_(scope) {
    for (const Tensor& t : outputs) add(t).assign(static_cast<std::size_t>(t.elems()), NAN);
    for (const Tensor& t : before) {
      std::vector<double>& values = add(t);
      values.clear();
      for (std::int64_t i = 0; i < t.elems(); ++i) values.push_back(get(t, offset_of(t, i)));
    }
  }

  LoopArray operator[](const char* name) override {
    const auto it = held_.find(name);
    if (it == held_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, of] : held_) names.push_back(known);
      fail(fmt::format("no tensor is called {}", name), fmt::format("the tensors: {}", fmt::join(names, ", ")));
    }
    it->second.is_named = true;
    return array(it->first.c_str(), it->second.shape, it->second.values);
  }

  double operator()(const char* name) const override {
    const auto number = scope_.number(name);
    if (!number) fail(fmt::format("no number is called {}", name), "a tensor is args[\"x\"], a number args(\"n\")");
    return is_float(number->dtype) ? number->data[0].real : static_cast<double>(number->data[0].whole);
  }

  bool is(const char* name, const char* text) const override {
    const auto said = scope_.text(name);
    if (!said) fail(fmt::format("no text is called {}", name), "a number is args(\"n\")");
    return *said == text;
  }

  void refuse(const LoopArray& a, const long long* index, int count) const override {
    fail(fmt::format("{}({}) is not an element of {}", a.name, fmt::join(index, index + count, ", "),
                     shape_text({a.sizes, a.sizes + a.rank})),
         "see the bounds of the loop");
  }

  // A loop that names none would agree with every kernel.
  void require_one_of(const std::vector<Tensor>& outputs) const {
    std::vector<std::string> names;
    for (const Tensor& t : outputs) names.push_back(fmt::format("args[\"{}\"]", t.name));
    if (std::ranges::none_of(outputs, [&](const Tensor& t) { return held_.at(t.name).is_named; }))
      fail("it names no output, so that nothing is compared", fmt::format("say what {} holds", fmt::join(names, ", ")));
  }

  // Null for a tensor that the loop does not name.
  const std::vector<double>* values(const Tensor& t) const {
    const Held& held = held_.at(t.name);
    return held.is_named ? &held.values : nullptr;
  }

 private:
  struct Held {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    bool is_named = false;
  };

  std::vector<double>& add(const Tensor& t) {
    Held& held = held_[t.name];
    held.shape = t.shape;
    return held.values;
  }

  LoopArray array(const char* name, const std::vector<std::int64_t>& shape, std::vector<double>& values) {
    LoopArray a{values.data(), {}, static_cast<int>(shape.size()), this, name};
    std::ranges::copy(shape, a.sizes);
    return a;
  }

  LoopArray made(const long long* sizes, int rank) override {
    Held& held = own_.emplace_back();
    if (rank > 4) fail(fmt::format("an array of {} axes", rank), "an array has 4 at most");
    std::size_t count = 1;
    for (int i = 0; i < rank; ++i) {
      if (sizes[i] < 0) fail(fmt::format("an axis of {} elements", sizes[i]), "see the sizes that zeros is given");
      held.shape.push_back(sizes[i]);
      count *= static_cast<std::size_t>(sizes[i]);
    }
    held.values.resize(count);
    return array("zeros", held.shape, held.values);
  }

  [[noreturn]] void fail(const std::string& fact, const std::string& fix) const {
    throw Error(fmt::format("{}{}: {}", word_.place, word_.value, fact), fix);
  }

  Word word_;
  Scope scope_;
  std::map<std::string, Held> held_;
  std::deque<Held> own_;
};

}  // namespace

std::string loop_in(const Word& expect) {
  const bool is_name = std::ranges::all_of(expect.value, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return is_name ? expect.value : "";
}

ExpectedAt expected_by(PlainLoop loop, const Word& word, const std::vector<Tensor>& outputs,
                       const std::vector<Tensor>& before, const Scope& scope) {
  struct Once {
    std::once_flag flag;
    std::unique_ptr<Case> made;
  };
  return [=, once = std::make_shared<Once>()](std::size_t output, std::span<const std::int64_t> elements) {
    std::call_once(once->flag, [&] {
      once->made = std::make_unique<Case>(word, outputs, before, scope);
      loop(*once->made);
      once->made->require_one_of(outputs);
    });
    const std::vector<double>* const all = once->made->values(outputs[output]);
    std::vector<double> values;
    if (all)
      for (const std::int64_t i : elements) values.push_back((*all)[static_cast<std::size_t>(i)]);
    return values;
  };
}

}  // namespace tl::cases
