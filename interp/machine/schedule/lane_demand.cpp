#include "interp/machine/schedule/lane_demand.h"

#include <algorithm>

#include "interp/lang/dtype.h"
#include "interp/lang/promotion.h"

namespace tl::machine {

namespace {

// What a lane of an op takes in fp32 (of ints: in 32 bits), from the machine code of a kernel of that op alone; where
// the probe was slower than its code's longest pipe, branches and calls cost the rest, and `issue` is what it took.
LaneDemand plain_demand(Op op) {
  switch (op) {
    case Op::div: return {18, 6, 2, 2, 0};
    case Op::mod: return {23, 8, 8, 1, 0};
    case Op::clamp: return {2, 0, 2, 0, 0};
    case Op::exp: return {9, 6, 1, 1, 0};
    case Op::exp2: return {1, 0, 0, 1, 0};
    case Op::log:
    case Op::log2: return {28, 15, 10, 0, 0};
    case Op::sqrt: return {33, 6, 4, 1, 0};
    case Op::rsqrt: return {4, 2, 1, 1, 0};
    case Op::sin:
    case Op::cos: return {40, 10, 4, 4, 0};
    case Op::sigmoid: return {24, 9, 5, 2, 0};
    case Op::erf: return {27, 9, 10, 1, 0};
    case Op::tanh: return {19, 8, 4, 2, 0};
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::rint:
    case Op::trunc: return {1, 0, 0, 1, 0};
    case Op::log1p: return {33, 14, 8, 0, 0};
    case Op::expm1: return {31, 16, 12, 2, 0};
    case Op::cbrt: return {18, 9, 5, 2, 0};
    case Op::asin:
    case Op::acos:
    case Op::atan: return {25, 15, 7, 1, 0};
    case Op::atan2: return {55, 19, 12, 1, 0};
    case Op::pow: return {111, 30, 20, 2, 0};
    case Op::fmod: return {23, 8, 8, 1, 0};
    case Op::lgamma: return {284, 60, 20, 4, 0};
    case Op::rand:
    case Op::randint:
    case Op::philox: return {52, 80, 20, 0, 0};  // twenty products of 64 bits, each as long as four fma
    case Op::rand4x:
    case Op::randint4x: return {56, 80, 24, 0, 0};
    case Op::randn: return {206, 111, 38, 5, 0};
    case Op::randn4x: return {370, 162, 68, 18, 0};
    case Op::neg:
    case Op::abs:
    case Op::mul:
    case Op::sub:
    case Op::add:
    case Op::fma: return {1, 1, 0, 0, 0};
    default: break;
  }
  switch (family_of(op)) {
    case OpFamily::math: return {30, 12, 8, 1, 0};
    case OpFamily::scan: return {33, 2, 8, 0, 0};
    case OpFamily::view:                               // a block that is turned and not multiplied
    case OpFamily::movement: return {31, 0, 8, 0, 0};  // through shared memory
    default: return {1, 0, 1, 0, 0};
  }
}

LaneDemand int_demand(Op op) {
  switch (op) {
    case Op::mul:
    case Op::fma: return {1, 2, 0, 0, 0};
    case Op::umulhi: return {3, 4, 1, 0, 0};
    case Op::div:
    case Op::mod:
    case Op::cdiv: return {33, 8, 14, 3, 0};
    case Op::cast: return {1, 0, 0, 1, 0};
    default: break;
  }
  // Additions and shifts to the left run as products, beside the bits, choices and extremes of the ALU.
  const bool as_product = op == Op::add || op == Op::sub || op == Op::shl;
  LaneDemand d = plain_demand(op);
  if (as_product) d = {1, 2, 0, 0, 0};
  else if (family_of(op) == OpFamily::arithmetic) d = {d.issue, 0, d.issue, 0, 0};
  return d;
}

}  // namespace

LaneDemand& LaneDemand::operator+=(const LaneDemand& o) {
  issue += o.issue;
  fma += o.fma;
  alu += o.alu;
  special += o.special;
  f64 += o.f64;
  requests += o.requests;
  return *this;
}
LaneDemand operator*(double n, LaneDemand d) {
  return {n * d.issue, n * d.fma, n * d.alu, n * d.special, n * d.f64, n * d.requests};
}

// From the length of the machine code of such kernels: 120 instructions for 32 lanes of a thread from u8, 368 to u8,
// 120 to i32, 72 from i32, of which 32 to 40 are none of theirs.
LaneDemand int_cast_demand(DType dtype, bool narrows) {
  const bool is_narrow = size_in_bytes(dtype) < 4;
  if (narrows) return is_narrow ? LaneDemand{10, 0, 5, 1, 0} : LaneDemand{2.5, 0, 1.5, 1, 0};
  return is_narrow ? LaneDemand{2.7, 0, 1.7, 1, 0} : LaneDemand{1, 0, 0, 1, 0};
}

LaneDemand demand_of(Op op, DType dtype) {
  if (!is_float(dtype)) {
    LaneDemand d = int_demand(op);
    if (size_in_bytes(dtype) == 8) d = (op == Op::mul ? 4.4 : 2) * d;
    return d;
  }
  if (dtype == DType::float64) {
    const double instructions = plain_demand(op).issue > 4 ? 24 : 1;  // math: a polynomial in f64
    return {2 * instructions, 0, 0, 0, instructions};
  }
  LaneDemand d = plain_demand(op);
  // Narrow floats are widened, computed and narrowed, two at a time; fp8 one at a time, by bits.
  if (op == Op::cast) d = {1.1, 0.5, 0.5, 0, 0};
  else if (is_narrow_float(dtype)) d += {2.2, 1, 1, 0, 0};
  if (size_in_bytes(dtype) == 1) d += {5, 1, 4, 0, 0};
  return d;
}

LaneDemand demand_of(const trace::LaneWork& work, int warps) {
  // What each thread does once a reduction, beside its own lanes: five shuffles, the barrier, the other warps' parts.
  constexpr LaneDemand across{37, 6, 4, 0, 0}, of_a_warp{12, 6, 0, 0, 0};
  LaneDemand total;
  for (const trace::LaneOps& o : work) {
    if (o.op == Op::dot) continue;
    const bool is_int_cast = o.op == Op::cast && !is_float(o.dtype) && size_in_bytes(o.dtype) < 8;
    total += o.lanes * (is_int_cast ? int_cast_demand(o.dtype, o.narrows) : demand_of(o.op, o.dtype));
    if (family_of(o.op) == OpFamily::reduction) total += o.times * 32 * (warps > 1 ? warps * across : of_a_warp);
  }
  return total;
}

LaneDemand access_demand(const trace::AccessRecord& record, const trace::Segment& s, const LaneRequests& requests) {
  // For a lane each time: the access itself, its address in 64 bits, its mask; from the length of the machine code of
  // kernels that have one access more. Where each element is a lane's own, so is each further bound of its mask, with
  // the branch around the access: 15 instructions for four bounds.
  constexpr LaneDemand of_lane{4, 1, 2, 0, 0, 1}, of_bound{4, 0, 2, 0, 0, 0};
  LaneDemand total;
  for (std::uint32_t a = s.first; a < s.first + s.size; ++a) {
    const auto pattern = record.accesses[a].pattern;
    const trace::AccessPattern& p = record.patterns[pattern];
    if (p.route != trace::Route::registers) continue;
    const double lanes = static_cast<double>(p.active_lanes()) / requests.elements[pattern];
    total += lanes * of_lane;
    if (requests.elements[pattern] == 1) total += lanes * std::max(0, requests.bounds[pattern] - 1) * of_bound;
  }
  return total;
}

std::vector<PipeTime> pipe_times(const LaneDemand& demand, const Device& d) {
  const double sms = static_cast<double>(d.sms);
  std::vector<PipeTime> times;
  const auto add = [&](const char* pipe, double instructions, double a_ns) {
    if (instructions > 0 && a_ns > 0) times.push_back({pipe, instructions, a_ns * 1e9, instructions / a_ns});
  };
  add(issue_pipe, demand.issue, 32 * static_cast<double>(d.sub_partitions) * d.sm_clock_ghz);
  add("FP32 units", demand.fma, d.f32_tflops * 1e3 / 2 / sms);
  add("integers and choices", demand.alu, d.alu_lanes * d.sm_clock_ghz);
  add("special functions", demand.special, d.special_lanes * d.sm_clock_ghz);
  add("FP64 units", demand.f64, d.f64_tflops * 1e3 / 2 / sms);
  add("load-store units", demand.requests, d.request_ns > 0 ? 1 / d.request_ns : 0);
  std::ranges::sort(times, std::ranges::greater{}, &PipeTime::ns);
  return times;
}

double lane_ns(const LaneDemand& demand, const Device& device) {
  const auto times = pipe_times(demand, device);
  return times.empty() ? 0 : times.front().ns;
}

}  // namespace tl::machine
