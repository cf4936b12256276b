#include "lessons/runner/waste.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/report/fault_text.h"
#include "interp/report/numbers.h"
#include "interp/trace/access_builder.h"
#include "lessons/runner/blocks.h"

namespace tl::lessons {

namespace {

using Place = std::tuple<std::string, int, int, std::string>;  // file, line, column, tensor

// Lanes that an op computes, as trace::Segment counts them: of floats, which are data; of integers, too, where data
// are.
std::int64_t lanes_of(const trace::RecordedProgram& p, const trace::Step& s, bool integers) {
  if (!trace::computes(s.op)) return 0;
  const auto of = family_of(s.op) == OpFamily::reduction ? p.operands(s) : p.results(s);
  if (of.empty()) return 0;
  const trace::RecordedValue& value = p.values[static_cast<std::size_t>(of[0])];
  return integers || is_float(value.dtype) ? value.shape.product() : 0;
}

// The op that computes the most lanes of a program in all its rounds.
Site busiest_site(const Observed& o, const trace::RecordedProgram& p, bool integers) {
  std::map<std::tuple<int, int, int>, std::pair<std::int64_t, trace::RecordedSite>> lanes;
  for (const trace::Step& s : p.steps) {
    auto& [count, site] = lanes[{s.site.file, s.site.line, s.site.column}];
    count += lanes_of(p, s, integers);
    site = s.site;
  }
  const auto most = std::ranges::max_element(lanes, {}, [](const auto& x) { return x.second.first; });
  return most == lanes.end() ? Site{} : o.site(most->second.second);
}

struct Busiest {
  double multiplications = 0, lanes = 0;
  std::int64_t block = 0;  // lanes of its largest block that computes
  const trace::RecordedProgram *multiplies = nullptr, *computes = nullptr;
};

Busiest busiest(const Observed& o, bool integers) {
  Busiest b;
  for (const trace::RecordedProgram& p : o.trace().programs) {
    if (p.keep != trace::Keep::values || p.is_cut_short) continue;
    double lanes = 0, multiplications = 0;
    for (const trace::Step& s : p.steps) {
      const std::int64_t of_step = lanes_of(p, s, integers);
      lanes += static_cast<double>(of_step);
      b.block = std::max(b.block, of_step);
      if (s.op != trace::Op::dot) continue;
      const auto& a = p.values[static_cast<std::size_t>(p.operands(s)[0])].shape;
      const auto& c = p.values[static_cast<std::size_t>(p.results(s)[0])].shape;
      multiplications += static_cast<double>(c.product() * a[a.rank - 1]);
    }
    if (!b.computes || lanes > b.lanes) {
      b.lanes = lanes;
      b.computes = &p;
    }
    if (!b.multiplies || multiplications > b.multiplications) {
      b.multiplications = multiplications;
      b.multiplies = &p;
    }
  }
  return b;
}

const std::string& tensor_of(const Observed& o, const trace::RecordedProgram& p, const trace::RecordedAccess& a) {
  return o.trace().launches[static_cast<std::size_t>(p.launch)].tensors[static_cast<std::size_t>(a.tensor)].name;
}

std::string grid_place_text(const Observed& o, const trace::RecordedProgram& p) {
  const auto& grid = o.trace().launches.front().grid;
  return report::program_text(p.id, grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
}

}  // namespace

std::optional<Finding> idle_rounds(const Observed& o) {
  struct Rounds {
    std::int64_t all = 0, used = 0;
  };
  struct Most {
    Rounds rounds;
    std::int64_t program = 0;
    Site site;
    bool writes = false;
  };
  std::map<Place, std::map<std::int64_t, Rounds>> places;
  std::map<Place, Most> most;
  o.for_each_access("", [&](std::int64_t number, const trace::RecordedAccess& a, const Site& site) {
    const auto& program = o.trace().programs[static_cast<std::size_t>(number)];
    const std::string& tensor = tensor_of(o, program, a);
    const Place place{site.file ? site.file : "", site.line, site.column, tensor};
    Rounds& rounds = places[place][number];
    ++rounds.all, rounds.used += a.active > 0;
    Most& m = most[place];
    m.site = site;
    m.writes = a.writes();
    if (rounds.all > m.rounds.all) {
      m.rounds.all = rounds.all;
      m.program = number;
    }
    m.rounds.used = std::max(m.rounds.used, rounds.used);
  });
  if (o.programs() < 2) return std::nullopt;  // of a single small program a part may well have nothing to do
  for (const auto& [place, m] : most) {
    if (m.rounds.all <= std::max<std::int64_t>(m.rounds.used, 1)) continue;
    const auto& program = o.trace().programs[static_cast<std::size_t>(m.program)];
    const Rounds mine = places[place][m.program];
    return at(
        Finding{fmt::format("the numbers are right, but program {} makes {} rounds here and {} nothing in {} of them",
                            grid_place_text(o, program), mine.all, m.writes ? "stores" : "loads", mine.all - mine.used),
                fmt::format("its masks are all False there; {} with {} {}", report::plural(m.rounds.used, "round"),
                            m.writes ? "stores to " + std::get<3>(place) : "loads from " + std::get<3>(place),
                            m.rounds.used == 1 ? "suffices" : "suffice"),
                "a round that the mask empties takes its time all the same: from where to where must the loop go?"},
        m.site);
  }
  return std::nullopt;
}

namespace {

// The most accesses that a program makes to each tensor.
std::map<std::string, std::int64_t> most_accesses(const Observed& o) {
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> of_program;
  std::map<std::string, std::int64_t> most;
  o.for_each_access("", [&](std::int64_t number, const trace::RecordedAccess& a, const Site&) {
    const std::string& tensor = tensor_of(o, o.trace().programs[static_cast<std::size_t>(number)], a);
    most[tensor] = std::max(most[tensor], ++of_program[{tensor, number}]);
  });
  return most;
}

}  // namespace

std::optional<Finding> empty_accesses(const Observed& o, const Observed* best) {
  const auto needed = best ? most_accesses(*best) : std::map<std::string, std::int64_t>();
  std::int64_t many = 0;
  const trace::RecordedProgram* program = nullptr;
  const trace::Step* first = nullptr;
  for (const trace::RecordedProgram& p : o.trace().programs) {
    std::map<std::string, std::int64_t> made;
    for (const trace::RecordedAccess& a : p.accesses) ++made[tensor_of(o, p, a)];
    for (const trace::Step& step : p.steps) {
      if (step.access < 0 || p.accesses[static_cast<std::size_t>(step.access)].active > 0) continue;
      const std::string& tensor = tensor_of(o, p, p.accesses[static_cast<std::size_t>(step.access)]);
      if (const auto it = needed.find(tensor); it != needed.end() && made[tensor] <= it->second) continue;
      if (many++ == 0) {
        program = &p;
        first = &step;
      }
    }
  }
  if (many == 0) return std::nullopt;
  const trace::RecordedAccess& a = program->accesses[static_cast<std::size_t>(first->access)];
  return at(Finding{fmt::format("the numbers are right, but program {} {} {} with every lane masked off",
                                grid_place_text(o, *program), a.writes() ? "stores to" : "loads from",
                                tensor_of(o, *program, a)),
                    fmt::format("so {}, in all programs together",
                                many == 1 ? "is one access" : fmt::format("are {} accesses", many)),
                    "it moves nothing and takes its time all the same: does a loop go further than there is something "
                    "to do, or does a program take what is another's?"},
            o.site(first->site));
}

std::optional<Finding> needless_work(const Observed& mine, const Observed& best) {
  const bool integers = busiest(best, false).lanes == 0;
  const Busiest m = busiest(mine, integers), b = busiest(best, integers);
  if (!m.computes || !b.computes) return std::nullopt;
  if (m.multiplications > b.multiplications)
    return at(Finding{fmt::format("the numbers are right, but the dots of program {} make {:.0f} multiplications, and "
                                  "{:.0f} suffice",
                                  grid_place_text(mine, *m.multiplies), m.multiplications, b.multiplications),
                      "", "one dot a step along k, of blocks that have something in them: which dot adds nothing?"},
              mine.last_site_of(trace::Op::dot));
  // Right kernels differ: a mask made anew, another dtype on the way. Sixteen ops a lane more are no such difference.
  if (m.lanes > 2 * b.lanes && m.lanes > b.lanes + 16 * static_cast<double>(std::max(m.block, b.block)))
    return at(
        Finding{fmt::format("the numbers are right, but the ops of program {} compute {:.0f} lanes, where {:.0f} "
                            "suffice",
                            grid_place_text(mine, *m.computes), m.lanes, b.lanes),
                "by the trace; this place takes the most of them", "what is computed that nobody needs, or again?"},
        busiest_site(mine, *m.computes, integers));
  return std::nullopt;
}

namespace {

std::optional<Site> first_f64(const Observed& o) {
  for (const trace::RecordedProgram& p : o.trace().programs)
    for (const trace::Step& s : p.steps)
      for (const std::int32_t result : p.results(s))
        if (p.values[static_cast<std::size_t>(result)].dtype == DType::float64) return o.site(s.site);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> needless_f64(const Observed& mine, const Observed& best) {
  const auto site = first_f64(mine);
  if (!site || first_f64(best)) return std::nullopt;
  return fmt::format(
      "Right; but line {} computes in f64, where f32 does: an H200 has half as many units for it, most "
      "other GPUs a 32nd or a 64th.",
      site->line);
}

std::optional<std::string> needless_lanes(const Observed& mine, const Observed& best) {
  const Busiest m = busiest(mine, false), b = busiest(best, false);
  // A mask made anew or a cast on the way is less than two ops a lane.
  const double block = static_cast<double>(std::max(m.block, b.block));
  if (!m.computes || b.lanes == 0 || m.lanes <= 1.5 * b.lanes || m.lanes <= b.lanes + 2 * block) return std::nullopt;
  return fmt::format("Right; but a program's ops compute {} lanes, where {} would do; line {} computes the most.",
                     report::count_text(static_cast<std::int64_t>(m.lanes)),
                     report::count_text(static_cast<std::int64_t>(b.lanes)),
                     busiest_site(mine, *m.computes, false).line);
}

void Accesses::add(const Observed& o) {
  o.for_each_access("", [&](std::int64_t number, const trace::RecordedAccess& a, const Site& site) {
    const auto& program = o.trace().programs[static_cast<std::size_t>(number)];
    const std::string& tensor = tensor_of(o, program, a);
    Access& p = accesses_[{site.file ? site.file : "", site.line, site.column, tensor}];
    p.site = {"", site.line, site.column}, p.tensor = tensor, p.writes = a.writes(), p.is_used |= a.active > 0;
  });
}

std::optional<Finding> Accesses::idle() const {
  for (const auto& [key, p] : accesses_)
    if (!p.is_used)
      return at(Finding{fmt::format("the numbers are right, but this {} never touches an element of {}",
                                    p.writes ? "store" : "load", p.tensor),
                        "its mask was False in every lane of every trial", "what is it for?"},
                p.site);
  return std::nullopt;
}

}  // namespace tl::lessons
