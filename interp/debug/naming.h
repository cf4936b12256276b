// Which declarator each recorded object belongs to: results, copies, parameters of helpers and of lambdas, structured
// bindings.
#pragma once

#include <map>
#include <set>

#include "interp/debug/program_view.h"

namespace tl::debug {

// An object is a variable when it outlives the statement that declares a name. What it was given tells which name.
class Naming {
 public:
  explicit Naming(const ProgramView& view);
  std::vector<Variable> run();

 private:
  struct Life {
    std::uint32_t object = 0, begin = 0, end = 0;
    std::vector<std::pair<std::uint32_t, std::int32_t>> values;
    bool is_named = false;
    std::int32_t first_value() const { return values.front().second; }
  };
  // A statement being executed once: by whom, and its steps [first, end).
  struct Instance {
    int statement = -1, frame = 0;
    std::uint32_t first = 0, end = 0;
    auto operator<=>(const Instance&) const = default;
  };

  void collect_lives();
  void name_results(bool may_die_with_statement);
  void name_parameters();
  void name_lambda_parameters();
  bool is_in_lambda(std::uint32_t step, const SourceModel* m, int lambda, int frame) const;
  void name_copies();
  void name_bindings(const Instance& instance, std::vector<Life*> lives);
  void add_aliases();

  const Statement* statement(const SourceModel* m, int s) const {
    return s < 0 ? nullptr : &m->statements()[static_cast<std::size_t>(s)];
  }
  const SourceModel* model_of_frame(int frame) const {
    return view_.sources_.model(view_.frames_[static_cast<std::size_t>(frame)].file);
  }
  bool is_within(std::uint32_t step, const SourceModel* m, int statement, int frame) const;
  Instance instance_around(std::uint32_t step, const SourceModel* m, int statement, int frame) const;
  // The value an expression had, as far as ops and names tell; -1: unknown.
  std::int32_t value_of(const SourceModel* m, const TokenRange& expression, int frame, std::uint32_t before) const;
  std::int32_t value_of_name(std::string_view name, int frame, std::uint32_t position) const;
  bool is_made_within(std::int32_t value, std::uint32_t first, std::uint32_t end) const;
  void give_name(Life& life, const std::string& name, int frame, bool is_parameter = false);

  const ProgramView& view_;
  const trace::RecordedProgram& program_;
  std::vector<Life> lives_;
  std::vector<std::uint32_t> made_at_;  // by value: the step whose result it is
  std::map<Instance, std::set<std::string>> taken_;
  std::vector<Variable> variables_;
  // Of each frame, by name: the variables by the step at which they begin, as indices. A loop's body has one of each
  // name a turn.
  std::vector<std::map<std::string, std::multimap<std::uint32_t, std::size_t>, std::less<>>> by_name_;
};

}  // namespace tl::debug
