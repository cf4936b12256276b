#include "lessons/runner/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/report/numbers.h"

namespace tl::lessons {

namespace {

const Fault* fault_of(const Failure& f, FaultKind kind) {
  const auto it = std::ranges::find(f.faults, kind, &Fault::kind);
  return it == f.faults.end() ? nullptr : &*it;
}

using lessons::at;
Finding at(Finding finding, const Site& site) {
  finding.line = site.line;
  finding.column = site.column;
  return finding;
}

std::string lane_fact(const Fault& f) {
  return fmt::format("lane {} of program {} reached element {} of {}", f.lane, f.program.x, f.element, f.tensor);
}

// The blocks of programs 0 and 1 should begin bs apart.
std::optional<Finding> wrong_step(const Failure& failure, const Blocks& b, const std::string& tensor, bool stored) {
  const Observed& o = failure.observed;
  const auto zero = o.first_lane(0, tensor, stored), one = o.first_lane(1, tensor, stored);
  if (!zero || !one) return std::nullopt;
  const std::int64_t step = *one - *zero;
  const char* did = stored ? "stores to" : "loads from";
  // Where loads and stores begin at the same elements, the offsets are wrong; else that one access.
  const auto other = o.first_lane(1, stored ? b.inputs.front() : b.output, !stored);
  const auto where = other == one ? o.site_of(trace::Op::arange) : o.first_site(tensor, stored);
  const auto finding = [&](std::string headline, std::string fix) {
    return at(Finding{std::move(headline), stores_text(o, b.output), std::move(fix)}, where);
  };
  const trace::RecordedAccess& first = *o.first_access(0, tensor, stored);
  if (first.lanes() < b.bs)
    return at(
        Finding{fmt::format("each program {} {} of {}, and a block holds bs = {}", stored ? "stores" : "loads",
                            report::plural(first.lanes(), "element"), tensor, b.bs),
                "",
                "a pointer plus a block of offsets is a block of pointers, one a lane: pid alone is a single number"},
        o.first_site(tensor, stored));
  if (const std::int64_t all = std::ssize(o.touched(0, tensor, stored)); step == 0 && all > b.bs)
    return at(Finding{fmt::format("every program {} all {} elements of {}; its share is one block, bs = {}",
                                  stored ? "stores" : "loads", all, tensor, b.bs),
                      "", "the other programs do the other blocks: no loop, but offsets that depend on pid"},
              o.first_site(tensor, stored));
  if (first.lanes() > 1)
    if (const std::int64_t apart = first.offset(1) - first.offset(0); apart != 1)
      return finding(
          fmt::format("neighbouring lanes are {} elements of {} apart, and a block is bs neighbours", apart, tensor),
          apart == b.bs || apart == b.n
              ? "lanes count by 1, as tl.arange does; blocks begin bs apart: which of the two is multiplied?"
              : "lanes count by 1, as tl.arange does: what makes it another step?");
  if (step == b.bs) {
    for (std::int64_t p = 2; *zero == 0 && p < o.programs(); ++p)
      if (const auto begins = o.first_lane(p, tensor, stored); begins && *begins != p * b.bs)
        return finding(
            fmt::format("program {} begins at element {} of {}, and should begin at {}", p, *begins, tensor, p * b.bs),
            "each block begins bs after the one before it");
    if (*zero == 0) return std::nullopt;
    return finding(fmt::format("program 0 begins at element {} of {}, and should begin at 0", *zero, tensor),
                   "the first program takes the first block");
  }
  if (step == 0)
    return finding(fmt::format("every program {} the same block of {}", did, tensor),
                   "the offsets do not depend on the program: where does block number pid begin?");
  if (step == b.n)
    return finding(fmt::format("programs are n = {} elements apart, but each takes only bs = {}", b.n, b.bs),
                   "how many elements lie between the start of block 0 and that of block 1?");
  if (step > 0 && step < b.bs)
    return finding(
        fmt::format("the blocks overlap: program 1 begins {} after program 0, and a block holds bs = {}", step, b.bs),
        "how many elements lie between the start of block 0 and that of block 1?");
  if (step < 0)
    return finding(
        fmt::format("program 1 begins before program 0: at element {} of {}, not at {}", *one, tensor, *zero + b.bs),
        "the blocks follow each other upwards");
  return finding(
      fmt::format("there are gaps: program 1 begins {} after program 0, and a block holds only bs = {}", step, b.bs),
      "how many elements lie between the start of block 0 and that of block 1?");
}

// The blocks are right, but a lane beyond the end wraps round or stays at the last element instead of being masked off.
std::optional<Finding> wraps_round(const Observed& o, const Blocks& b, const std::string& tensor) {
  std::optional<Finding> found;
  o.for_each_access(tensor, [&](std::int64_t program, const trace::RecordedAccess& a, const Site& where) {
    trace::for_each_active_lane(a, [&](std::int64_t lane, std::int64_t e) {
      if (const std::int64_t position = program * b.bs + lane; !found && position >= b.n && e < b.n)
        found = at(
            Finding{
                fmt::format(
                    "lane {} of program {} stands at position {}, beyond the end, and takes element {} of {} instead",
                    lane, program, position, e, tensor),
                "", "a lane beyond the end has nothing to do: a mask keeps it from memory, another element does not"},
            where);
    });
  });
  return found;
}

// The mask keeps an element from being loaded that is stored, or should be.
std::optional<Finding> masks_too_many(const Failure& failure, const Blocks& b) {
  const Observed& o = failure.observed;
  const Fault* const undefined = fault_of(failure, FaultKind::undefined_lane);
  if (!undefined || undefined->tensor != b.output || undefined->element >= b.n) return std::nullopt;
  for (const std::string& in : b.inputs)
    if (o.loads(in)[undefined->element] == 0)
      return at(
          Finding{fmt::format("the mask keeps element {} of {} from being loaded, and it is inside", undefined->element,
                              in),
                  undefined->headline, "element number i is inside when i < n, for each load and for the store alike"},
          o.first_site(in, false));
  return std::nullopt;
}

// There is a mask, and it is True beyond the end.
Finding masks_too_few(const Blocks& b, const std::string& tensor, std::int64_t element, const std::string& detail) {
  return {
      fmt::format("the mask lets element {} of {} through, and elements end at {}", element, tensor, b.n - 1), detail,
      "a lane is inside when its position is below n: does the mask say <=, or compare something else than positions?"};
}

std::optional<Finding> wrong_mask(const Failure& failure, const Blocks& b) {
  const Observed& o = failure.observed;
  const std::int64_t surplus = o.programs() * b.bs - b.n;
  const std::int64_t programs =
      std::max(o.programs(), (b.n + b.bs - 1) / b.bs);  // a fault keeps the others from running
  const std::string tail = fmt::format("{} x {} lanes = {} lanes for {} elements", report::plural(programs, "program"),
                                       b.bs, programs * b.bs, b.n);
  if (const Fault* f = fault_of(failure, FaultKind::out_of_bounds))
    if (f->element >= b.n || f->element < 0) {
      const bool stores = f->tensor == b.output;
      if (f->element < 0)
        return at(Finding{fmt::format("{} reaches element {} of {}, before its beginning",
                                      stores ? "tl.store" : "tl.load", f->element, f->tensor),
                          lane_fact(*f), "positions are counted from 0 upwards: what makes this one negative?"},
                  f->site);
      if (o.has_mask(f->tensor, stores))
        return at(masks_too_few(b, f->tensor, f->element, tail + "\n" + lane_fact(*f)), f->site);
      Finding finding{fmt::format("{} reaches outside of {}, which holds {} elements", stores ? "tl.store" : "tl.load",
                                  f->tensor, b.n),
                      tail + "\n" + lane_fact(*f),
                      "keep the lanes beyond the end away from memory: which of them satisfy offs < n?"};
      return at(finding, f->site);
    }
  const auto stores = o.stores(b.output);
  for (std::size_t e = static_cast<std::size_t>(b.n); e < stores.size(); ++e)
    if (stores[e] > 0) {
      const auto writer = o.last_writer(b.output, static_cast<std::int64_t>(e));
      if (o.has_mask(b.output, true))
        return at(masks_too_few(b, b.output, static_cast<std::int64_t>(e), tail), writer->site);
      return at(
          Finding{fmt::format("the kernel stores behind the end of {}: to element {}, and n is {}", b.output, e, b.n),
                  tail, "the store needs the mask, too: which lanes satisfy offs < n?"},
          writer->site);
    }
  for (const std::string& in : b.inputs) {
    const auto loads = o.loads(in);
    for (std::size_t e = static_cast<std::size_t>(b.n); e < loads.size(); ++e)
      if (loads[e] > 0) {
        const auto reader = o.first_reader(in, static_cast<std::int64_t>(e));
        if (o.has_mask(in, false)) return at(masks_too_few(b, in, static_cast<std::int64_t>(e), tail), reader->site);
        return at(Finding{fmt::format("the kernel reads behind the end of {}: element {}, and n is {}", in, e, b.n),
                          tail, "the load needs the mask, too: which lanes satisfy offs < n?"},
                  reader->site);
      }
  }
  const auto c = o.count(b.output);
  const std::int64_t missing = std::ranges::find(stores, 0) - stores.begin();
  if (c.masked_stores > surplus && missing < b.n && o.has_op(trace::Op::store)) {
    Finding finding{
        fmt::format("the mask keeps {} from storing, and {}", report::plural(c.masked_stores, "lane"),
                    surplus == 0 ? "every lane has something to store"
                                 : fmt::format("only {} {} nothing to store", surplus, surplus == 1 ? "has" : "have")),
        tail + fmt::format("\nnobody stored {}[{}]", b.output, missing),
        "element number i is inside when i < n: not <=, not >, not n - 1"};
    return at(finding, o.first_site(b.output, true));
  }
  return std::nullopt;
}

}  // namespace

Finding at(Finding finding, const std::optional<Site>& site) { return site ? at(std::move(finding), *site) : finding; }

std::string range_text(const std::string& tensor, const std::vector<std::int64_t>& elements) {
  if (elements.empty()) return "nothing";
  const auto [lo, hi] = std::ranges::minmax(elements);
  return lo == hi ? fmt::format("{}[{}]", tensor, lo) : fmt::format("{}[{}..{}]", tensor, lo, hi);
}

std::string stores_text(const Observed& observed, const std::string& tensor, std::int64_t most) {
  std::string text;
  for (std::int64_t p = 0; p < std::min(most, observed.programs()); ++p)
    text +=
        fmt::format("{}program {} stored {}", p ? "\n" : "", p, range_text(tensor, observed.touched(p, tensor, true)));
  if (observed.programs() > most) text += fmt::format("\n... {} programs in all", observed.programs());
  return text;
}

std::optional<Finding> diagnose_blocks(const Failure& failure, const Blocks& b) {
  const Observed& o = failure.observed;
  if (!o.has_op(trace::Op::store) && failure.has_ended())
    return Finding{"the kernel stores nothing",
                   fmt::format("{} programs ran, and {} is as it was", o.programs(), b.output),
                   "what should be stored to " + b.output + ", and where?"};
  if (o.has_op(trace::Op::store))
    if (auto f = wrong_step(failure, b, b.output, true)) return f;
  for (const std::string& in : b.inputs) {
    if (auto f = wrong_step(failure, b, in, false)) return f;
    if (o.has_op(trace::Op::store) && !o.first_site(in, false))
      return at(Finding{fmt::format("{} is never loaded", in), "",
                        fmt::format("each lane needs its element of {}, whatever {}", fmt::join(b.inputs, " and of "),
                                    b.inputs.size() == 1 ? "that holds" : "they hold")},
                o.first_site(b.output, true));
  }
  if (auto f = wrapped_lane(o, b)) return f;
  if (auto f = masks_too_many(failure, b)) return f;
  return wrong_mask(failure, b);
}

std::optional<Finding> wrapped_lane(const Observed& observed, const Blocks& b) {
  for (const std::string& in : b.inputs)
    if (auto f = wraps_round(observed, b, in)) return f;
  return wraps_round(observed, b, b.output);
}

}  // namespace tl::lessons
