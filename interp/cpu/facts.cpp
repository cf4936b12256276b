// The facts of a kernel, from its paths; where these are too coarse, from the accesses of the launch itself.
#include "interp/cpu/facts.h"

#include <fmt/format.h>

#include "interp/cpu/addresses.h"
#include "interp/cpu/exploration.h"

namespace tl::cpu {

namespace {

using rules::KernelFacts;

std::string text_of_place(const Site& s) { return fmt::format("{}:{}", s.file, s.line); }

// Bytes that were stored, as stretches that do not touch.
class Bytes {
 public:
  void add(std::int64_t from, std::int64_t to) {
    auto it = stretches_.upper_bound(from);
    if (it != stretches_.begin() && std::prev(it)->second >= from) --it;
    for (; it != stretches_.end() && it->first <= to; it = stretches_.erase(it)) {
      from = std::min(from, it->first);
      to = std::max(to, it->second);
    }
    stretches_[from] = to;
  }
  bool has_any(std::int64_t from, std::int64_t to) const {
    const auto it = stretches_.lower_bound(to);
    return it != stretches_.begin() && std::prev(it)->second > from;
  }
  bool is_empty() const { return stretches_.empty(); }
  void clear() { stretches_.clear(); }

 private:
  std::map<std::int64_t, std::int64_t> stretches_;  // begin and end
};

constexpr std::int64_t most_stretches = 20'000'000;  // some seconds

// What a program of this launch loads after it stored it. The memory that may be is that of `stored` tensors.
std::optional<Explored::LoadAfterStore> load_after_store(const Launch& launch, const trace::AccessRecord& record,
                                                         const std::set<int>& stored) {
  const std::vector<Tensor> tensors = tensors_of(launch);
  const auto begin_of = [&](int tensor) {
    return static_cast<std::int64_t>(
        reinterpret_cast<std::uintptr_t>(tensors[static_cast<std::size_t>(tensor)].data()));
  };
  std::map<int, Bytes> bytes;  // by the tensor that they were stored to
  std::optional<Explored::LoadAfterStore> found;
  std::int64_t stretches = 0;
  for (const trace::ProgramAccesses& program : record.programs) {
    for (auto& [tensor, b] : bytes) b.clear();
    trace::for_each_access(record, program, [&](const trace::AccessPattern& p, std::int64_t base) {
      if (found) return;
      const auto size =
          static_cast<std::int64_t>(size_in_bytes(record.tensors[static_cast<std::size_t>(p.tensor)].dtype));
      const std::int64_t begin = begin_of(p.tensor);
      if (!p.writes() && !is_loaded_ahead(p.shape.span(), p.route == trace::Route::descriptor)) return;
      if (p.writes() ? !stored.contains(p.tensor)
                     : std::ranges::all_of(bytes, [](const auto& of) { return of.second.is_empty(); }))
        return;
      const auto add = [&](std::int64_t from, std::int64_t to) {
        if (++stretches > most_stretches) throw Error("more accesses than are compared", "");
        if (p.writes()) return bytes[p.tensor].add(begin + from * size, begin + to * size);
        for (const auto& [tensor, b] : bytes)
          if (b.has_any(begin + from * size, begin + to * size)) found = {p.site, p.tensor, tensor};
      };
      trace::for_each_active_run(p, [&](std::int64_t, std::int64_t at, std::int64_t stride, std::int64_t length) {
        if (stride == 1) return add(base + at, base + at + length);
        for (std::int64_t i = 0; i < length; ++i) add(base + at + i * stride, base + at + i * stride + 1);
      });
    });
    if (found) return found;
  }
  return std::nullopt;
}

// An address run reads no tensor then, whatever it holds.
Launch without_data(Launch launch) {
  for (Argument& a : launch.arguments) {
    if (auto* t = std::get_if<TensorArgument>(&a)) t->tensor.holds_data = false;
    if (auto* d = std::get_if<DescriptorArgument>(&a)) d->tensor.holds_data = false;
  }
  return launch;
}

class Finder {
 public:
  explicit Finder(const Launch& launch) : launch_(launch), paths_(launch), explored_(paths_.run()) {}

  KernelFacts facts() {
    KernelFacts facts{
        .dots = explored_.dots, .prints = explored_.prints, .breaks = explored_.breaks, .one_role = obstacle()};
    for (const int tensor : explored_.tiles) facts.tiles.push_back(name_of(tensor));
    facts.looks_up = looks_up();
    const bool may_have_roles = facts.dots != rules::Dots::none || launch_has_descriptors();
    if (!explored_.not_followed.empty()) {
      facts.prints = facts.breaks = true;
      if (facts.dots == rules::Dots::exact)
        facts.dots = rules::Dots::any;  // where there was none, the compiler refuses
    }
    if (facts.one_role && explored_.by_pointers.empty() && !explored_.data_decides && may_have_roles)
      ask_the_launch(facts);
    return facts;
  }

 private:
  std::optional<KernelFacts::Obstacle> obstacle() const {
    if (!explored_.by_pointers.empty())
      return KernelFacts::Obstacle{explored_.by_pointers + ", which goes by pointers", ""};
    if (explored_.load_after_store) return obstacle_of(*explored_.load_after_store);
    if (explored_.data_decides)  // another program may store what this one waits for
      for (const auto& [from, site] : explored_.loaded_ahead)
        for (const auto& [to, unused] : explored_.stored)
          if (paths_.share_memory(from, to)) return obstacle_of({site, from, to});
    if (!explored_.not_followed.empty())
      return KernelFacts::Obstacle{"what the kernel does is not known: " + explored_.not_followed, ""};
    return std::nullopt;
  }

  bool looks_up() const {
    const auto is_stored = [&](int table) {
      return std::ranges::any_of(explored_.stored,
                                 [&](const auto& to) { return paths_.share_memory(table, to.first); });
    };
    return explored_.not_followed.empty() && explored_.by_pointers.empty() && !explored_.tables.empty() &&
           std::ranges::none_of(explored_.tables, is_stored);
  }

  // The elements that this launch alone stores and loads.
  void ask_the_launch(KernelFacts& facts) const try {
    const trace::AccessRecord record = record_accesses(without_data(launch_));
    std::set<int> stored;
    for (const trace::AccessPattern& p : record.patterns)
      if (p.writes()) stored.insert(p.tensor);
    const auto found = load_after_store(launch_, record, stored);
    facts.one_role = found ? std::optional(obstacle_of(*found)) : std::nullopt;
    facts.of_one_launch = true;
  } catch (const std::exception&) {  // a fault, which a run will tell of; data that decides; too many accesses
  }

  KernelFacts::Obstacle obstacle_of(const Explored::LoadAfterStore& l) const {
    return {fmt::format(
                "{} may load from \"{}\" what was stored {}", text_of_place(l.load), name_of(l.loaded),
                l.loaded == l.stored ? "there" : fmt::format("to \"{}\", which is the same memory", name_of(l.stored))),
            "store to a tensor of its own"};
  }
  std::string name_of(int tensor) const { return tensors_[static_cast<std::size_t>(tensor)].name; }
  bool launch_has_descriptors() const {
    return std::ranges::any_of(launch_.arguments,
                               [](const Argument& a) { return std::holds_alternative<DescriptorArgument>(a); });
  }

  const Launch& launch_;
  std::vector<Tensor> tensors_ = tensors_of(launch_);
  Exploration paths_;
  Explored explored_;
};

}  // namespace

rules::KernelFacts facts_of(const Launch& launch) {
  if (!launch.on_cpu) return {};
  return Finder(launch).facts();
}

}  // namespace tl::cpu
