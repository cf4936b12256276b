// What the names of a kernel of Triton's Python stand for in its indices: offs, of pid * BLOCK + tl.arange(0, BLOCK),
// comes from program 0 and from arange BLOCK.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tl::triton {
class Program;
struct Definition;
struct Node;
}  // namespace tl::triton

namespace tl::cases {

// Where an index comes from: "program 0", "arange BLOCK", "loop i", "loaded y_ptr".
using IndexSources = std::set<std::string>;
using Factors = std::vector<std::string>;  // parameters and numbers
using NameSet = std::set<std::string>;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names);
bool is_sum(const triton::Node&);
bool is_method(const triton::Node& call, std::string_view name);
// Without what changes no value: offs of offs[:, None], of offs.to(tl.int64), of -offs.
const triton::Node& bare(const triton::Node&);
// The argument of that name or, without names, at that position; null: none.
const triton::Node* argument(const triton::Node& call, std::string_view name, std::size_t position);
// tl.make_tensor_descriptor, or a helper that does so where it gets none.
bool makes_descriptor(const triton::Node&);

class IndexNames {
 public:
  IndexNames(triton::Program& program, const triton::Definition& kernel, const std::set<std::string_view>& pointers);

  const std::vector<const triton::Definition*>& functions() const { return functions_; }  // the kernel, what it calls
  bool is_parameter(const std::string& name) const { return parameters_.contains(name); }
  bool is_constant(const std::string& name) const { return constants_.contains(name); }
  bool is_number(const std::string& name) const { return is_parameter(name) && !pointers_.contains(name); }
  std::string loop_of(const triton::Node& statement) const;  // its variable; "": none

  // Calls f with what a name was assigned.
  void for_definitions(const std::string& name, const std::function<void(const triton::Node&)>& f);
  NameSet pointers_in(const triton::Node&);  // parameters that a sum adds to
  IndexSources sources(const triton::Node&);
  std::string limit_of(const triton::Node&);    // the parameter that a bound speaks of: K, of K - k * BLOCK_K
  std::string counted_in(const triton::Node&);  // K, of cdiv(K, BLOCK_K)
  // n_rows * n_cols, of a size that is computed; none where it is something else.
  Factors product_of(const triton::Node&);
  Factors modulo_of(const triton::Node&);  // M, of (..) % M, by the name that it has

 private:
  std::string extent_text(const triton::Node& end);
  void note_helper(const triton::Definition& in, const triton::Node& call);
  void note_definitions(const triton::Definition& in, const triton::Node&);

  triton::Program& program_;
  const std::set<std::string_view>& pointers_;
  std::vector<const triton::Definition*> functions_;
  NameSet parameters_, constants_, loops_, open_;
  std::map<std::string, std::vector<const triton::Node*>> definitions_;
  std::map<const triton::Node*, std::string> loop_of_;
};

}  // namespace tl::cases
