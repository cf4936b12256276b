#include "interp/case/pointer_sums.h"

#include <algorithm>

#include "interp/triton/program.h"

namespace tl::cases {

namespace {

using triton::Node;
using triton::NodeKind;

class SumReader {
 public:
  SumReader(triton::Program& program, const triton::Definition& kernel, const std::set<std::string_view>& pointers)
      : names_(program, kernel, pointers) {
    for (const triton::Definition* f : names_.functions())
      for_each_node(f->node, [&](const Node& n) { return note_use(n), true; });
    for (const triton::Definition* f : names_.functions())
      for_each_node(f->node, [&](const Node& n) { return note_sum(n), true; });
  }
  PointerSums take() { return std::move(out_); }

 private:
  void note_bound(const Node& index, const Node& limit) {
    const IndexSources from = names_.sources(index);
    if (const std::string to = names_.limit_of(limit); !from.empty() && !to.empty()) out_.bounds.push_back({from, to});
  }

  void note_number(const Node* n, NameSet& into) const {
    if (n && n->kind == NodeKind::keyword) n = &n->child(0);
    if (n && n->kind == NodeKind::name && names_.is_number(std::string(n->text))) into.emplace(n->text);
    if (n && (n->kind == NodeKind::tuple || n->kind == NodeKind::list))
      for (const Node* child : n->children) note_number(child, into);
  }

  void note_range(const std::string& variable, const Node& range) {
    const bool has_start = range.children.size() > 2 && range.child(2).kind != NodeKind::keyword;
    const Node* const stop = range.child_if_any(has_start ? 2 : 1);
    std::string limit = stop ? names_.limit_of(*stop) : "";
    if (limit.empty() && stop) limit = names_.counted_in(*stop);
    if (limit.empty() && has_start) limit = names_.limit_of(range.child(1));  // range(n, 0, -BLOCK)
    if (!limit.empty()) out_.bounds.push_back({{"loop " + variable}, limit, true});
    if (has_start && !limit.empty() && std::ranges::any_of(names_.sources(range.child(1)), [](const std::string& s) {
          return s.starts_with("program ");
        }))
      out_.persistent.insert(limit);
    NameSet step;
    if (has_start && range.children.size() > 3) note_number(&range.child(3), step);
    if (!step.empty())
      for (const std::string& from : names_.sources(range.child(1)))
        if (from.starts_with("program ")) out_.grid[std::stoi(from.substr(8))] = *step.begin();
  }

  void note_comparison(const Node& n) {
    for (std::size_t i = 1; i < n.children.size(); ++i) {
      const Node &link = n.child(i), &left = i == 1 ? n.child(0) : n.child(i - 1).child(0), &right = link.child(0);
      if (is_one_of(link.text, {"<", "<=", ">", ">="})) {
        note_bound(left, right);
        note_bound(right, left);
      } else if (right.kind == NodeKind::string && left.kind == NodeKind::name) {
        out_.texts.emplace(left.text, right.text);
      }
    }
  }

  void note_use(const Node& n) {
    if (n.kind == NodeKind::comparison) note_comparison(n);
    if (n.kind == NodeKind::for_loop && n.child(1).kind == NodeKind::call)
      note_range(std::string(n.child(0).text), n.child(1));
    if (n.kind == NodeKind::branch) {
      for_each_node(&n.child(0), [&](const Node& t) {
        if (t.kind == NodeKind::name) note_number(&t, out_.flags);
        return t.kind != NodeKind::comparison && t.kind != NodeKind::binary && t.kind != NodeKind::call;
      });
    }
    if (n.kind == NodeKind::binary && (n.text == "%" || n.text == "//")) {
      const Node& by = bare(n.child(1));
      const IndexSources of = names_.sources(n.child(0));
      if (of.size() == 1 && of.begin()->starts_with("program ") && by.kind == NodeKind::name &&
          names_.is_number(std::string(by.text)))
        out_.divisors[std::stoi(of.begin()->substr(8))].emplace(by.text);
    }
    if (n.kind == NodeKind::name) out_.used.emplace(n.text);
    if (n.kind != NodeKind::call) return;
    const std::string_view op = called_name(n);
    if (op == "program_id")
      for (const std::string& program : names_.sources(n))
        out_.axes = std::max(out_.axes, std::stoi(program.substr(8)) + 1);
    if (op == "cdiv" && n.children.size() > 2)
      if (const std::string count = names_.limit_of(n.child(1)); !count.empty())
        out_.counted.emplace(count, bare(n.child(2)).text);
    if (is_one_of(op, {"load", "store", "gather", "scatter"}) && n.child(0).kind == NodeKind::attribute)
      out_.descriptors.emplace(n.child(0).child(0).text);
    if (op == "arange") note_number(argument(n, "end", 1), out_.blocks);
    if (is_one_of(op, {"zeros", "full", "broadcast_to", "reshape"}))
      for (std::size_t i = 1; i < n.children.size(); ++i) note_number(&n.child(i), out_.blocks);
    if (op == "make_block_ptr") note_number(argument(n, "block_shape", 4), out_.blocks);
    if (makes_descriptor(n)) note_number(argument(n, "block_shape", 3), out_.blocks);
    if (is_method(n, "to")) note_number(n.child_if_any(1), out_.dtypes);
    for (std::size_t i = 1; i < n.children.size(); ++i)
      if (n.child(i).kind == NodeKind::keyword && n.child(i).text.ends_with("dtype"))
        note_number(&n.child(i), out_.dtypes);
    if (op.starts_with("atomic_") && n.children.size() > 1) out_.atomics.merge(names_.pointers_in(n.child(1)));
    if (op == "make_block_ptr" || makes_descriptor(n)) note_block_pointer(n);
  }

  void note_block_pointer(const Node& call) {
    const Node *const shape = argument(call, "shape", 1), *const strides = argument(call, "strides", 2);
    if (!shape || !strides || shape->children.size() != strides->children.size()) return;
    for (const std::string& p : names_.pointers_in(call))
      for (std::size_t i = 0; i < strides->children.size(); ++i) {
        Term term{{}, {}, names_.product_of(shape->child(i))};
        const Node& stride = bare(strides->child(i));
        if (stride.kind == NodeKind::name && names_.is_number(std::string(stride.text)))
          term.factors = {std::string(stride.text)};
        out_.terms[p].push_back(term);
      }
  }

  // The factors of a product: of row * stride the stride, a parameter, and what counts.
  void split(const Node& given, Term& term) {
    const Node& n = bare(given);
    if (n.kind == NodeKind::binary && n.text == "*") {
      split(n.child(0), term);
      split(n.child(1), term);
    } else if (const Factors known = names_.product_of(n); !known.empty()) {
      term.factors.insert(term.factors.end(), known.begin(), known.end());
    } else {
      term.sources.merge(names_.sources(n));
    }
  }

  bool is_stride(const std::string& factor) const {
    return names_.is_parameter(factor) && !out_.blocks.contains(factor) &&
           (!names_.is_constant(factor) || factor.find("stride") != std::string::npos ||
            std::ranges::any_of(out_.bounds, [&](const Bound& b) { return b.limit == factor; }));
  }

  bool has_stride(const Term& t) const {
    return std::ranges::any_of(t.factors, [&](const std::string& f) { return is_stride(f); });
  }

  // The summands of an index; a name stands for its own where one of them has a stride.
  void add_terms(const Node& given, std::vector<Term>& all) {
    const Node& n = bare(given);
    if (is_sum(n)) {
      add_terms(n.child(0), all);
      return add_terms(n.child(1), all);
    }
    std::vector<Term> inner;
    if (n.kind == NodeKind::name && !names_.is_parameter(std::string(n.text))) {
      names_.for_definitions(std::string(n.text), [&](const Node& d) { add_terms(d, inner); });
      if (std::ranges::none_of(inner, [&](const Term& t) { return has_stride(t); }))
        inner = {{names_.sources(n), {}, names_.modulo_of(n)}};
    } else {
      Term term;
      split(n, term);
      if (n.kind == NodeKind::binary && n.text == "*")
        for (const Node* child : n.children)
          if (Factors extent = names_.modulo_of(*child); !extent.empty()) term.extent = extent;
      inner = {term};
    }
    all.insert(all.end(), inner.begin(), inner.end());
  }

  // What has no stride counts together: pid * BLOCK + arange(0, BLOCK).
  void note_terms(const NameSet& pointers, const std::vector<Term>& all) {
    Term inner;
    const auto note = [&](const Term& t) {
      for (const std::string& p : pointers) out_.terms[p].push_back(t);
    };
    for (const Term& t : all) {
      if (has_stride(t) && !t.sources.empty()) note(t);
      else if (t.sources.empty() && t.factors.size() == 1)
        for (const std::string& p : pointers) out_.offsets[p].insert(t.factors[0]);
      else inner.sources.insert(t.sources.begin(), t.sources.end());
      if (!has_stride(t) && !t.extent.empty()) inner.extent = t.extent;
    }
    if (!inner.sources.empty()) note(inner);
  }

  void note_sum(const Node& n) {
    const bool moves = n.kind == NodeKind::augmented;
    if ((!is_sum(n) && !moves) || summands_.contains(&n)) return;
    const NameSet pointers = names_.pointers_in(moves ? n.child(0) : n);
    if (pointers.empty()) return;
    std::vector<Term> all;
    const auto add = [&](const auto& self, const Node& part) -> void {
      if (is_sum(part)) {
        summands_.insert(&part);
        self(self, part.child(0));
        self(self, part.child(1));
      } else if (names_.pointers_in(part).empty()) {
        add_terms(part, all);
      }
    };
    add(add, moves ? *n.children.back() : n);
    for (Term& t : all)  // ptrs += BLOCK * stride, each time round
      if (const std::string loop = names_.loop_of(n); moves && t.sources.empty() && !loop.empty())
        t.sources.insert("loop " + loop);
    note_terms(pointers, all);
  }

  IndexNames names_;
  std::set<const Node*> summands_;  // parts of a sum that was read
  PointerSums out_;
};

}  // namespace

PointerSums pointer_sums_of(triton::Program& program, const triton::Definition& kernel,
                            const std::set<std::string_view>& pointers) {
  return SumReader(program, kernel, pointers).take();
}

}  // namespace tl::cases
