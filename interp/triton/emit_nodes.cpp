// Each node of an expression as C++; emit_expressions.cpp has the words.
#include <fmt/format.h>

#include "interp/triton/emission.h"
#include "interp/triton/expression_nodes.h"

namespace tl::triton {

using cpu::AnyValue;

Term Known::emit(Emission&) const { return with_elements(value_); }
Term Variable::emit(Emission& e) const { return e.variable(slot_, place); }
Term Shared::emit(Emission& e) const { return x_->emit(e); }

Term Infix::emit(Emission& e) const {
  const Expression* const both[] = {left_.get(), right_.get()};
  const std::vector<Term> t = e.terms(both);
  return e.infix(sign_, t[0], t[1], place);
}
Term Prefix::emit(Emission& e) const { return e.prefix(sign_, e.term(*x_), place); }

Term Comparison::emit(Emission& e) const {
  std::vector<const Expression*> given{left_.get()};
  for (const Link& link : links_) given.push_back(link.right.get());
  std::vector<Term> t = e.terms(given);
  Term all;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (i + 1 < links_.size() && t[i + 1].has_effect) t[i + 1] = e.named(t[i + 1], "x", place);
    const Term holds = e.infix(links_[i].sign, t[i], t[i + 1], links_[i].place);
    all = i == 0 ? holds : e.infix(Sign::bit_and, all, holds, links_[i].place);
  }
  return all;
}

Term Logical::emit(Emission& e) const {
  std::optional<Term> all;
  for (const auto& x : operands_) {
    if (all) {
      if (const auto known = truth_of(all->value)) {
        if (*known != is_and_) return *all;
        all = e.term(*x);
        continue;
      }
      if (all->has_effect) all = e.named(*all, "x", place);
      const Term next = e.term(*x);
      all = e.infix(is_and_ ? Sign::bit_and : Sign::bit_or, e.mask_of(*all, place), e.mask_of(next, place), place);
    } else {
      all = e.term(*x);
    }
  }
  return *all;
}

Term Conditional::emit(Emission& e) const {
  const Term test = e.term(*parts_[0]);
  if (const auto yes = e.truth(test, place)) return e.term(*parts_[*yes ? 1 : 2]);
  return e.chosen(test, *parts_[1], *parts_[2], place);
}

Term TupleOf::emit(Emission& e) const {
  std::vector<const Expression*> given;
  for (const auto& x : elements_) given.push_back(x.get());
  return e.tuple(e.terms(given), parts_.data.as<cpu::Tuple>().get());
}

Term Comprehension::emit(Emission& e) const {
  const Term all = e.term(*all_);
  if (!all.is_tuple())
    e.fail(place, fmt::format("a comprehension over {}", text_of(all.value)),
           "Triton's go over tuples; a loop over tl.static_range(n) does the same");
  std::vector<Term> made;
  for (const Term& x : e.named(all, "x", place).elements) {
    e.assign(target_, x, true, place);
    Term t = e.term(*element_);
    made.push_back(t.has_effect ? e.named(t, "x", place) : t);
  }
  return e.tuple(std::move(made));
}

Term Sliced::emit(Emission& e) const {
  return e.sliced(e.term(*x_), {reinterpret_cast<const bool*>(is_new_axis_.data()), is_new_axis_.size()}, place);
}

Term Indexed::emit(Emission& e) const {
  const Term x = e.term(*x_), index = e.term(*index_);
  if (!x.is_tuple() || !index.value.data.is<cpu::Constant>())
    e.fail(place, fmt::format("{} cannot be indexed by {}", text_of(x.value), text_of(index.value)),
           "x[:, None] adds an axis; tl.gather takes lanes by number; tl.load(ptr + i) reads one element");
  const std::vector<Term> all = elements_of(x);
  const long long count = static_cast<long long>(all.size()), at = index.value.data.as<cpu::Constant>().value;
  if (at < -count || at >= count) e.fail(place, fmt::format("there is no {} of {}", at, count), "");
  return all[static_cast<std::size_t>(at < 0 ? at + count : at)];
}

Term Attribute::emit(Emission& e) const { return e.attribute(e.term(*x_), name_, place); }

// A tuple of the text and its values.
Term Format::emit(Emission& e) const {
  std::vector<Term> all{{Value(AnyValue(cpu::kept_text(text_))), ""}};
  std::vector<const Expression*> given;
  for (const auto& v : values_) given.push_back(v.get());
  for (Term& t : e.terms(given)) all.push_back(std::move(t));
  return e.tuple(std::move(all));
}

}  // namespace tl::triton
