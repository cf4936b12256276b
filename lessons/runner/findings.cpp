#include "lessons/runner/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interp/report/fault_text.h"
#include "interp/report/tensor_text.h"
#include "interp/run/explanation.h"
#include "lessons/runner/blocks.h"
#include "lessons/runner/tensors.h"
#include "lessons/runner/traffic.h"
#include "lessons/runner/unlike.h"

namespace tl::lessons {

namespace {

std::string number_text(const Tensor& t, double v, int digits) {
  if (is_integer(t.dtype)) return fmt::format("{:.0f}", v);
  return std::isnan(v) ? "nan" : fmt::format("{:.{}g}", v, digits);
}

// With as many digits as it takes to tell the two apart.
std::string is_and_should_be(const Tensor& t, const std::string& cell, const problems::Mismatch& m) {
  int digits = 6;
  while (digits < 17 && number_text(t, m.got, digits) == number_text(t, m.expected, digits)) ++digits;
  return fmt::format("{} is {}, and should be {}", cell, number_text(t, m.got, digits),
                     number_text(t, m.expected, digits));
}

std::string first_lines(const std::string& text, int most) {
  std::size_t end = 0;
  for (int i = 0; i < most && end != std::string::npos; ++i) end = text.find('\n', end + (i > 0));
  return end == std::string::npos ? text : text.substr(0, end) + "\n...";
}

// Where the result is exact, a cast that changes an element is the reason for the difference, or one of them; where it
// is nearly right, one that the solution does not make.
std::optional<Observed::LossyCast> cast_to_blame(const Trial& trial, const Observed& observed,
                                                 const std::optional<Observed>& best, const problems::Mismatch& m,
                                                 ProgramId program) {
  const problems::Tolerance& tolerance = trial.instance.tolerances[m.output];
  if (tolerance.absolute == 0 && tolerance.relative == 0) return observed.lossy_cast(program);
  const bool is_near = std::abs(m.got - m.expected) < std::abs(m.expected) / 200;
  return is_near && best ? unlike_cast(observed, *best, program) : std::nullopt;
}

// What in the kernel, done otherwise, would give what is expected; no guess that does not.
std::optional<Fault> cause_of(const Trial& trial, const problems::Mismatch& first) {
  try {
    auto cause = run::explain(trial.instance, first, {.was_on_gpu = false}).cause;
    return cause && cause->detail.find("as the reference says") != std::string::npos ? cause : std::nullopt;
  } catch (const Error&) {  // a run that cannot be repeated so
    return std::nullopt;
  }
}

// Elements of outputs beyond their shape, and all of the inputs, must be as they were.
std::vector<bool> inside_of(const Tensor& t) {
  std::vector<bool> inside(static_cast<std::size_t>(t.storage_elems));
  for (std::int64_t i = 0; i < t.elems(); ++i) inside[offset_of(t, i)] = true;
  return inside;
}

}  // namespace

Bytes bytes_of(const Tensor& t) { return {t.data(), t.data() + t.storage_bytes()}; }

Finding from_fault(const Fault& f) {
  if (f.kind == FaultKind::stopped)
    return at({fmt::format("the kernel does not come to an end: program {} took more ops than any right one needs",
                           report::program_text(f.program)),
               "", "what changes from one round of its loop to the next, and does that ever end it?"},
              f.site);
  return at({f.headline, f.detail, f.fix}, f.site);
}

Finding from_fault(const Trial& trial, const Fault& f) {
  const bool adds = f.kind == FaultKind::uninitialized &&
                    std::ranges::any_of(trial.instance.outputs, [&f](const Tensor& t) { return t.name == f.tensor; });
  if (!adds) return from_fault(f);
  return at({fmt::format("the kernel adds to what {} holds, and nobody has stored there", f.tensor), f.headline,
             "tl.store sets an element; an atomic is for one that begins at 0 and that several programs add to"},
            f.site);
}

Finding from_mismatch(const Trial& trial, const Observed& observed, const std::optional<Observed>& best,
                      const problems::Verdict& verdict, const std::vector<Tensor>& outputs) {
  const problems::Mismatch& first = *verdict.first;
  const Tensor& t = outputs[first.output];
  const std::string cell = report::cell_text(t, first.offset);
  const auto writer = observed.last_writer(t.name, offset_of(trial.instance.outputs[first.output], first.offset));
  Finding f;
  if (!writer) f.headline = fmt::format("nothing was stored to {}", cell);
  else f.headline = is_and_should_be(t, cell, first);
  if (verdict.wrong > 1) f.headline += fmt::format(" ({} of {} elements are wrong)", verdict.wrong, verdict.checked);
  const Tensor expected = trial.instance.reference()[first.output];
  if (t.elems() <= 64)
    f.detail = fmt::format("yours:    {}\nexpected: {}", first_lines(report::tensor_text(t), 8),
                           first_lines(report::tensor_text(expected), 8));
  if (writer) {
    f.fix = "step through this run: which statement makes that value?";
    f.detail += fmt::format("{}written by program {}, lane {}", f.detail.empty() ? "" : "\n",
                            report::program_text(writer->program), writer->lane);
    f.detail += odd_traffic(trial, observed);
    const auto cast = cast_to_blame(trial, observed, best, first, writer->program);
    if (!cast) {
      if (const auto cause = cause_of(trial, first)) {
        f.detail = cause->headline + "\n" + (cause->detail.empty() ? "" : cause->detail + "\n") + f.detail;
        f.fix = cause->fix;
        return at(f, cause->site);
      }
      return at(f, writer->site);
    }
    f.detail =
        fmt::format("this cast to {} makes {:.9g} of {:.9g}\n", name_of(cast->to), cast->became, cast->from) + f.detail;
    f.fix = fmt::format("must these values be cast at all? {} holds {}", t.name, name_of(t.dtype));
    return at(f, cast->site);
  }
  f.fix = observed.has_op(trace::Op::store) ? "which programs, which lanes should have stored there?"
                                            : "the kernel has no tl.store yet";
  if (observed.has_op(trace::Op::store))
    f.detail += shares_text(trial.instance.outputs[first.output], observed) + odd_traffic(trial, observed);
  if (f.detail.starts_with('\n')) f.detail.erase(0, 1);
  return f;
}

std::optional<Finding> foreign_loads(const Trial& trial, const Observed& observed) {
  for (const Tensor& t : trial.instance.inputs) {
    const auto inside = inside_of(t);
    const auto loads = observed.loads(t.name);
    for (std::size_t e = 0; e < loads.size(); ++e)
      if (loads[e] > 0 && !inside[e]) {
        const auto reader = observed.first_reader(t.name, static_cast<std::int64_t>(e));
        return at(
            {fmt::format("the kernel reads element {} of {}, which is not part of {}", e, t.name, report::type_text(t)),
             fmt::format("it was lane {} of program {}", reader->lane, report::program_text(reader->program)),
             observed.has_mask(t.name, false)
                 ? fmt::format("which offsets does {} have, and which lanes must not load?", t.name)
                 : "which lanes must not load?"},
            reader->site);
      }
  }
  return std::nullopt;
}

std::optional<Finding> stored_to_input(const Trial& trial, const std::vector<Bytes>& inputs, const Observed& observed) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = trial.instance.inputs[i];
    const auto site = observed.first_site(t.name, true);
    if (!site && bytes_of(t) == inputs[i]) continue;
    Finding f{"the kernel stores to its input " + t.name, "", "the output is " + trial.instance.outputs.front().name};
    return site ? at(f, *site) : f;
  }
  return std::nullopt;
}

std::optional<Finding> foreign_stores(const Trial& trial, const std::vector<Bytes>& outputs, const Observed& observed) {
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Tensor& t = trial.instance.outputs[o];
    const std::vector<bool> inside = inside_of(t);
    const std::size_t size = static_cast<std::size_t>(size_in_bytes(t.dtype));
    for (std::size_t e = 0; e < inside.size(); ++e) {
      if (inside[e] || std::memcmp(t.data() + e * size, outputs[o].data() + e * size, size) == 0) continue;
      const auto writer = observed.last_writer(t.name, static_cast<std::int64_t>(e));
      Finding f{fmt::format("the kernel wrote to element {} behind {}, which is not part of {}", e, t.name,
                            report::type_text(t)),
                "", "which lanes must not store?"};
      if (writer) {
        f.detail = fmt::format("it was lane {} of program {}", writer->lane, writer->program.x);
        f = at(f, writer->site);
      }
      return f;
    }
  }
  return std::nullopt;
}

}  // namespace tl::lessons
