#include "interp/debug/show.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/debug/fault_text.h"
#include "interp/lang/stop_scope.h"

namespace tl::debug {

using trace::RecordedAccess;
using trace::RecordedLaunch;
using trace::RecordedProgram;
using trace::RecordedTensor;
using trace::RecordedValue;

std::string elements_text(const RecordedValue& value, const RecordedLaunch& launch, const Printing& printing) {
  if (value.form == trace::Form::dropped) return "(not kept: the recording's budget ran out)";
  if (!value.is_kept()) return "(not recorded)";
  const std::string elements = text_of(array_of(value), printing);
  if (value.tensor < 0) return elements;
  return launch.tensors[value.tensor].name + " + " + elements;
}

std::string value_text(const RecordedProgram& program, const RecordedLaunch& launch, std::int32_t index,
                       const Printing& printing) {
  const RecordedValue& value = program.values[index];
  std::string type = type_text(value.dtype, value.shape.span());
  if (value.tensor >= 0) type.replace(0, type.find('[') == std::string::npos ? type.size() : type.find('['), "ptr");
  if (printing.has_lines && value.is_kept() && value.shape.rank > 1 && value.tensor < 0)
    return type + elements_text(value, launch, printing);
  const std::string elements = elements_text(value, launch, printing);
  return value.is_kept() ? fmt::format("{:<34} {}", elements, type) : elements;
}

std::string lane_text(const RecordedValue& value, std::int64_t lane, char base) {
  std::string result = fmt::format("lane {}", lane);
  if (value.shape.rank > 1) {
    std::int64_t rest = lane;
    std::string index;
    for (int d = value.shape.rank; d-- > 0; rest /= value.shape[d])
      index = fmt::format("{}{}{}", rest % value.shape[d], index.empty() ? "" : ", ", index);
    result += fmt::format(" [{}]", index);
  }
  return fmt::format("{}: {}", result, text_of(number_of(value, lane), value.dtype, base));
}

std::string line_text(const SourceModel& model, int token, const Paint& paint) {
  if (token < 0) return "";
  const Token& t = model.token(token);
  std::string spaces;  // tabs stay tabs, so that the caret stands beneath its token
  for (char c : model.line(t.line).substr(0, static_cast<std::size_t>(t.column - 1))) spaces += c == '\t' ? '\t' : ' ';
  return fmt::format("{} {}\n{}{}\n", paint(Color::faint, fmt::format("{:>5} |", t.line)), model.line(t.line),
                     "        " + spaces,
                     paint(Color::green, std::string(std::max<std::size_t>(1, t.text.size()), '^')));
}

std::string listing(const SourceModel& model, int first, int last, int marked, const Paint& paint) {
  std::string result;
  for (int n = std::max(1, first); n <= std::min(last, model.lines()); ++n) {
    const std::string number = fmt::format("{}{:>4} |", n == marked ? '>' : ' ', n);
    result += fmt::format("{} {}\n", paint(n == marked ? Color::green : Color::faint, number), model.line(n));
  }
  return result;
}

// ---- loads and stores
// ------------------------------------------------------------------------------------------------------

const char* verb(trace::AccessKind kind) {
  return kind == trace::AccessKind::load ? "loads" : kind == trace::AccessKind::store ? "stores" : "adds to";
}

namespace {

constexpr std::int64_t table_lanes = 12, picture_rows = 16, picture_columns = 64;

// The value a lane loaded, stored or left behind.
std::string lane_value(const ProgramView& view, const RecordedLaunch& launch, std::uint32_t s, std::int64_t lane) {
  const trace::Step& step = view.step(s);
  const RecordedProgram& p = view.program();
  const RecordedAccess& a = p.accesses[step.access];
  if (!a.writes()) {
    const auto results = p.results(step);
    if (results.empty()) return "";
    const RecordedValue& v = p.values[results[0]];
    return v.is_kept() && lane < v.shape.product() ? text_of(number_of(v, lane), v.dtype) : "?";
  }
  if (!a.is_active(lane)) return "";
  if (!a.effect) return "?";
  const DType dtype = launch.tensors[a.tensor].dtype;
  return text_of(number_of(dtype, a.effect_of(lane, size_in_bytes(dtype))), dtype);
}

std::string table(const ProgramView& view, const RecordedLaunch& launch, std::uint32_t s, const RecordedAccess& a,
                  std::int64_t focus, const Paint& paint) {
  const RecordedTensor& tensor = launch.tensors[a.tensor];
  std::vector<std::int64_t> lanes;
  const std::int64_t n = a.lanes();
  for (std::int64_t lane = 0; lane < n; ++lane)
    if (n <= table_lanes || lane < 6 || lane >= n - 3) lanes.push_back(lane);
  std::vector<std::vector<std::string>> rows(4);
  rows[0] = {"lane"};
  rows[1] = {tensor.name + "[...]"};
  rows[2] = {"mask"};
  rows[3] = {a.writes() ? "becomes" : "value"};
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::int64_t lane = lanes[i];
    if (i > 0 && lane != lanes[i - 1] + 1)
      for (auto& row : rows) row.push_back("..");
    const std::string cell = trace::cell_name(tensor, a.offset(lane));
    const bool is_inside = a.offset(lane) >= 0 && a.offset(lane) < tensor.storage_elems;
    rows[0].push_back(std::to_string(lane) + (lane == focus ? "<" : ""));
    rows[1].push_back(is_inside ? cell.substr(tensor.name.size() + 1, cell.size() - tensor.name.size() - 2)
                                : std::to_string(a.offset(lane)));
    rows[2].push_back(a.is_active(lane) ? "on" : "off");
    rows[3].push_back(a.is_active(lane) ? lane_value(view, launch, s, lane)
                      : a.writes()      ? "-"
                                        : fmt::format("({})", lane_value(view, launch, s, lane)));
  }
  std::string result;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == 2 && a.active == n) continue;
    if (r == 3 && rows[3].size() > 1 && rows[3][1].empty()) continue;
    std::string line = "    ";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      std::size_t width = 0;
      for (const auto& row : rows) width = std::max(width, row[c].size());
      line += c == 0 ? fmt::format("{:<{}}", rows[r][c], width) : fmt::format("  {:>{}}", rows[r][c], width);
    }
    result += (r == 0 ? paint(Color::faint, line) : line) + "\n";
  }
  return result;
}

// A character a lane, or a group of them: # all active, + some, . none.
std::string picture(const RecordedAccess& a) {
  const std::int64_t columns = a.shape[a.shape.rank - 1], rows = a.lanes() / columns;
  const std::int64_t down = (rows + picture_rows - 1) / picture_rows,
                     across = (columns + picture_columns - 1) / picture_columns;
  std::string result;
  for (std::int64_t r = 0; r < rows; r += down) {
    result += "    ";
    for (std::int64_t c = 0; c < columns; c += across) {
      std::int64_t on = 0, all = 0;
      for (std::int64_t i = r; i < std::min(r + down, rows); ++i)
        for (std::int64_t j = c; j < std::min(c + across, columns); ++j) {
          on += a.is_active(i * columns + j);
          ++all;
        }
      result += on == all ? '#' : on == 0 ? '.' : '+';
    }
    result += '\n';
  }
  if (down * across > 1)
    result += fmt::format("    one character is {} x {} lanes: # all on, + some, . none\n", down, across);
  else result += "    # on, . masked off\n";
  return result;
}

}  // namespace

std::string access_text(const ProgramView& view, const RecordedLaunch& launch, std::uint32_t s, std::int64_t lane,
                        const Paint& paint) {
  const RecordedAccess& a = view.program().accesses[view.step(s).access];
  const RecordedTensor& tensor = launch.tensors[a.tensor];
  const std::int64_t n = a.lanes();
  std::string result = fmt::format("  {} {}", verb(a.kind), paint(Color::bold, tensor.name));
  if (a.active > 0)
    result += fmt::format(" {} .. {}", trace::cell_name(tensor, a.first).substr(tensor.name.size()),
                          trace::cell_name(tensor, a.last).substr(tensor.name.size()));
  if (a.active == n) result += n == 1 ? "" : fmt::format(", all {} lanes", n);
  else result += fmt::format(", {} of {} lanes; the rest is masked off", a.active, n);
  result += '\n';
  if (a.shape.rank <= 1) return result + table(view, launch, s, a, lane, paint);
  return a.active == n ? result : result + picture(a);
}

namespace {

std::string named_text(Session& session, const std::string& name, std::int32_t value, const Paint& paint) {
  std::string result =
      fmt::format("  {} = {}\n", paint(Color::cyan, name), value_text(session.program(), session.launch(), value));
  const RecordedValue& v = session.program().values[value];
  if (session.lane() >= 0 && v.is_kept() && session.lane() < v.shape.product() && v.shape.rank > 0)
    result += fmt::format("    {}\n", lane_text(v, session.lane()));
  return result;
}

}  // namespace

std::string steps_text(Session& session, std::uint32_t first, std::uint32_t end, int frame, const Paint& paint) {
  const ProgramView& view = session.view();
  const RecordedProgram& p = view.program();
  std::string result;
  for (std::uint32_t s = first; s < end; ++s) {
    end_if_stopped();
    const trace::Step& step = p.steps[s];
    bool is_named = false;
    for (const Variable& v : view.variables())
      for (const auto& [at, value] : v.values)
        if (at == s + 1 && v.frame == frame && v.begin <= at) {
          result += named_text(session, v.name, value, paint);
          is_named = true;
        }
    if (end - first == 1 && !is_named)
      for (std::int32_t r : p.results(step))
        result += named_text(session, fmt::format("({})", trace::text_of(step.op)), r, paint);
    if (step.text >= 0) result += fmt::format("  {}\n", p.texts[step.text]);
    if (step.access >= 0) result += access_text(view, session.launch(), s, session.lane(), paint);
  }
  return result;
}

std::string fault_text(const Fault& fault, const SourceModel* model, const Paint& paint) {
  return fault_text(fault, model ? model->line(fault.site.line) : std::string_view(), paint);
}

}  // namespace tl::debug
