// The devices by their names, and by the files of a user.
#include "interp/machine/device.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "interp/lang/error.h"
#include "interp/lang/input_file.h"
#include "interp/lang/text.h"
#include "interp/machine/device_files.h"
#include "interp/sources/sources.h"

namespace tl::machine {

extern const std::span<const sources::SourceFile> embedded_devices;  // of the generated file

namespace {

constexpr std::string_view fields_file = "fields";  // the file beside them that says what a device's file holds

std::string lower(std::string text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace

std::string meant(const std::string& name, const std::vector<std::string>& names) {
  const auto begins = std::ranges::find_if(names, [&](const auto& n) { return n.starts_with(name); });
  return begins != names.end() ? *begins : nearest(name, names, name.size() / 2);
}

std::string_view device_file(std::string_view name) {
  for (const auto& file : embedded_devices)
    if (stem(std::string(file.path)) == name) return file.text;
  return {};
}

std::string described(const Device& d) {
  return d.title + (d.figures.empty() || d.figures == "measured" ? "" : " (" + d.figures + ")");
}

Device under_load(Device d) {
  const double slower = d.loaded_clock_ghz / d.sm_clock_ghz;
  for (double* rate : {&d.sm_clock_ghz, &d.f32_tflops, &d.f64_tflops, &d.f16_tensor_tflops, &d.tf32_tensor_tflops,
                       &d.fp8_tensor_tflops, &d.f64_tensor_tflops, &d.sm_gb_per_s})
    *rate *= slower;
  return d;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const auto& file : embedded_devices)
    if (std::string name = stem(std::string(file.path)); name != fields_file) names.push_back(std::move(name));
  return names;
}

std::string device_list() {
  std::string list;
  for (const auto& n : device_names()) list += (list.empty() ? "" : ", ") + n;
  return list;
}

Device find_device(const std::string& name_or_file) {
  if (name_or_file.empty()) throw Error("--gpu names no device", "for example --gpu h200, or --gpu my_gpu.json");
  for (const auto& file : embedded_devices)
    if (const std::string name = stem(std::string(file.path));
        name != fields_file && lower(name) == lower(name_or_file)) {
      Device known = parse_device(std::string(file.text), std::string(file.path));
      known.assumed.clear();
      known.assumed_rules.clear();
      return known;
    }
  if (name_or_file.ends_with(".json") || std::filesystem::exists(name_or_file)) {
    const std::string fix = "name a JSON file that exists, or one of the devices: " + device_list();
    return parse_device(read_regular_file(name_or_file, most_text_bytes, fix, "the device file " + name_or_file),
                        name_or_file);
  }
  const auto names = device_names();
  const std::string list = device_list();
  const std::string guess = meant(lower(name_or_file), names);
  throw Error("there is no device \"" + name_or_file + "\"",
              (guess.empty() ? "" : "did you mean " + guess + "? ") + ("the devices: " + list + "; or a FILE.json"));
}

}  // namespace tl::machine
