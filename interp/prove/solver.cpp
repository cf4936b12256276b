#include "interp/prove/solver.h"

#ifdef TILESCOPE_Z3
#include <z3++.h>
#endif

namespace tl::prove {

#ifdef TILESCOPE_Z3

bool has_solver() { return true; }

Solution solve(const std::string& text, unsigned most_steps) {
  Solution found;
  try {
    z3::context context;
    z3::solver solver(context);
    z3::params params(context);
    params.set("rlimit", most_steps);
    params.set("timeout", 60'000u);  // for a step that has no end; of the answers, steps alone decide
    solver.set(params);
    solver.from_string(text.c_str());
    const z3::check_result result = solver.check();
    if (result == z3::unsat) found.answer = Answer::no;
    if (result != z3::sat) return found;
    found.answer = Answer::yes;
    const z3::model model = solver.get_model();
    for (unsigned i = 0; i < model.num_consts(); ++i) {
      const z3::func_decl d = model.get_const_decl(i);
      std::int64_t value;
      if (model.get_const_interp(d).is_numeral_i64(value)) found.values[d.name().str()] = value;
    }
  } catch (const z3::exception&) {  // out of memory, or of time within a step
    found.answer = Answer::unknown;
  }
  return found;
}

#else

bool has_solver() { return false; }
Solution solve(const std::string&, unsigned) { return {}; }

#endif

}  // namespace tl::prove
