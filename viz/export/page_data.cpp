#include "viz/export/page_data.h"

#include "viz/export/export.h"

namespace tl::viz {

namespace {

// JSON within a script element must not hold "<".
std::string without_tags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size() + json.size() / 16);
  for (const char c : json) c == '<' ? safe.append("\\u003c") : safe.append(1, c);
  return safe;
}

}  // namespace

std::string data_element(const std::string& json) {
  const std::string packed = deflated(json);
  return packed.empty() ? "<script type=\"application/json\" id=\"data\">" + without_tags(json) + "</script>"
                        : "<script type=\"text/plain\" id=\"data\" data-packed>" + base64(packed) + "</script>";
}

}  // namespace tl::viz
