// One program of a launch, run along every path that its branches allow. Nothing is known of its id, of the launch's
// numbers, or of data, so that what is found holds for every launch that a GPU's compiler takes for the same.
//
//   if (n > 64) tl.store(t_ptr, x);         n is absent (interp/cpu/absent.h): one run stores, another does not
//   for (auto k : tl.range(0, n, BK)) ...   one run has no turn, another has four: what the first turn stores
//                                           meets what the second loads
//
// A run is its list of decisions. Each decision beyond that list is taken one way, and the other is put on the list of
// runs to come, until none is left. Where a run comes to one place a third time, it goes one way and the other by
// turns. Constants are known, and a parameter that is 1, which is a constant on a GPU.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "interp/cpu/state.h"
#include "interp/rules/config.h"

namespace tl::cpu {

// All runs together. Tensors by their number among the launch's.
struct Explored {
  rules::Dots dots = rules::Dots::none;
  bool prints = false;
  bool breaks = false;
  bool data_decides = false;  // on a branch or on how often a loop turns
  std::set<int> tiles;        // of which blocks are loaded that may be copied ahead
  std::set<int> tables;       // of which rows of ints are loaded
  std::string by_pointers;    // the first op that makes a pointer or descriptor: "k.h:2 has pointer_type"
  std::map<int, Site> loaded_ahead, stored;  // where first; atomics store
  struct LoadAfterStore {
    Site load;
    int loaded, stored;
  };
  std::optional<LoadAfterStore> load_after_store;  // in one run, to one tensor or to memory that two share
  std::string not_followed;                        // why a run ended early, or some were left out; "" when none was
};

// Whether the warps that load ahead make a load of this shape: tiles and scalars. Rows and gathers are the others'.
bool is_loaded_ahead(std::span<const std::int64_t> shape, bool by_descriptor);

class Exploration {
 public:
  explicit Exploration(const Launch&);
  Explored run();
  // An unknown program, for callers that ask what single ops give.
  Context& begin();
  bool share_memory(int tensor, int other) const;

  // Called by the executor.
  bool decides(const Where&, bool by_data);  // the branch that this run takes
  void op(const Where&, std::span<const Value* const> operands, const trace::Access*, std::string_view text);
  void prints() { found_.prints = true; }
  void breaks() { found_.breaks = true; }
  void goes_by_pointers(const Where&, const char* op);
  Ref addressed(const Where&, DType element);  // a pointer made of an address: to any tensor of that dtype

 private:
  void access(const Where&, const trace::Access&, bool by_descriptor);

  const Launch& launch_;
  RunOptions options_;
  LaunchState shared_;
  State state_;
  Explored found_;
  std::vector<std::vector<bool>> open_;                     // runs to come
  std::vector<bool> path_;                                  // the decisions of this one
  std::size_t at_ = 0;                                      // the next
  std::map<std::tuple<const char*, int, int>, int> times_;  // that this run came to a place
  std::set<int> stored_;                                    // by this run
  std::int64_t ops_ = 0;
};

}  // namespace tl::cpu
