// How a device's tensor cores add, as its file says it: a row an instruction and its inputs.
#include <nlohmann/json.hpp>

#include "interp/lang/error.h"
#include "interp/machine/device_files.h"

namespace tl::machine {

namespace {

constexpr const char* example =
    "\"tensor_cores\": [{\"instruction\": \"mma.sync\", \"inputs\": [\"f16\", \"bf16\"], \"terms\": 8, "
    "\"aligned_bits\": 24, \"kept_bits\": 23, \"rounding\": \"toward_zero\"}]";

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(where + ": \"tensor_cores\" " + what, std::string("for example ") + example);
}

int number(const nlohmann::json& row, const char* name, int from, int to, const std::string& where) {
  const auto v = row.find(name);
  if (v == row.end() || !v->is_number_integer() || v->get<std::int64_t>() < from || v->get<std::int64_t>() > to)
    refuse(where, std::string("has a row whose \"") + name + "\" is " + (v == row.end() ? "missing" : v->dump()) +
                      ", not a whole number from " + std::to_string(from) + " to " + std::to_string(to));
  return v->get<int>();
}

// Its sums are few, and computed in 64 bits.
bool input_is_fp4(const nlohmann::json& row) { return row.value("inputs", nlohmann::json()) == nlohmann::json{"fp4"}; }

TensorCoreStep* step_of(TensorCoreSteps& steps, const nlohmann::json& input) {
  return input == "f16"    ? &steps.f16
         : input == "bf16" ? &steps.bf16
         : input == "tf32" ? &steps.tf32
         : input == "fp8"  ? &steps.fp8
         : input == "fp4"  ? &steps.fp4
                           : nullptr;
}

}  // namespace

TensorCores read_tensor_cores(const nlohmann::json& list, const std::string& where) {
  TensorCores cores;
  if (!list.is_array()) refuse(where, "is " + list.dump() + ", which is not a list");
  for (const auto& row : list) {
    if (!row.is_object()) refuse(where, "holds " + row.dump() + ", which is not a row");
    const auto instruction = row.value("instruction", nlohmann::json());
    if (instruction != "mma.sync" && instruction != "wgmma")
      refuse(where, "has a row whose \"instruction\" is " + instruction.dump() + ", neither mma.sync nor wgmma");
    const auto rounding = row.value("rounding", nlohmann::json());
    if (rounding != "toward_zero" && rounding != "nearest_even")
      refuse(where, "has a row whose \"rounding\" is " + (rounding.is_null() ? "missing" : rounding.dump()) +
                        ", neither toward_zero nor nearest_even");
    const TensorCoreStep step{number(row, "terms", 1, 64, where),
                              number(row, "aligned_bits", 1, input_is_fp4(row) ? 40 : 28, where),
                              number(row, "kept_bits", 1, 23, where), rounding == "nearest_even"};
    if (step.terms & (step.terms - 1))
      refuse(where, "has a row of " + std::to_string(step.terms) + " terms, no power of two");
    if (!row.contains("inputs") || !row.at("inputs").is_array())
      refuse(where, "has a row without a list of \"inputs\"");
    for (const auto& input : row.at("inputs")) {
      TensorCoreStep* to = step_of(instruction == "wgmma" ? cores.wgmma : cores.mma_sync, input);
      if (!to) refuse(where, "names the input " + input.dump() + ", none of f16, bf16, tf32, fp8, fp4");
      *to = step;
    }
  }
  return cores;
}

}  // namespace tl::machine
