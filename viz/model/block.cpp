// The named values of the program at this moment: what the next statement uses first, then the others; masked lanes
// hatched.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interp/debug/show.h"
#include "viz/model/panel.h"
#include "viz/model/value_picture.h"

namespace tl::viz {

namespace {

using trace::RecordedValue;

// The load that made a value, whose masked lanes are hatched.
const trace::RecordedAccess* access_of(const trace::RecordedProgram& p, std::int32_t value, std::uint32_t before) {
  for (std::uint32_t s = 0; s < std::min<std::size_t>(before, p.steps.size()); ++s) {
    const trace::Step& step = p.steps[s];
    if (step.access < 0) continue;
    for (const std::int32_t r : p.results(step))
      if (r == value) return &p.accesses[step.access];
  }
  return nullptr;
}

struct Entry {
  const debug::Variable* variable = nullptr;
  std::string type, text;
  bool is_new = false, is_used = false;
  DrawnValue drawn;
};

// Groups of variables: headings where there are many variables, and a choice for the reader.
enum class Purpose : unsigned char { scalar, place, value };
constexpr const char* headings[] = {"scalars", "offsets, masks and pointers", "values"};

Purpose purpose_of(const RecordedValue& v) {
  if (v.shape.rank == 0) return Purpose::scalar;
  return v.tensor >= 0 || is_integer(v.dtype) || v.dtype == DType::int1 ? Purpose::place : Purpose::value;
}

// Names in the statement that is next, and its line; no line at the program's end.
std::set<std::string, std::less<>> names_of_statement(debug::Session& session, int& line) {
  std::set<std::string, std::less<>> names;
  const debug::OpLocation location = session.location();
  const debug::SourceModel* const model = session.view().model_of_frame(session.frame());
  if (!model || location.token < 0 || location.statement < 0) return names;
  line = model->token(location.token).line;
  const debug::TokenRange& tokens = model->statements()[location.statement].tokens;
  for (int t = tokens.first; t <= tokens.last; ++t)
    if (const debug::Token& token = model->token(t); token.kind == debug::TokenKind::name) names.emplace(token.text);
  return names;
}

std::vector<Entry> entries_of(debug::Session& session, const std::set<std::string, std::less<>>& used, Table& table) {
  const trace::RecordedProgram& p = session.program();
  const std::uint32_t now = session.now().step;
  std::vector<Entry> entries;
  for (const debug::Variable* variable : session.view().locals(now, session.frame())) {
    const std::int32_t index = session.view().value_at(*variable, now);
    if (index < 0) continue;
    const RecordedValue& v = p.values[index];
    Entry e;
    e.variable = variable;
    const std::string tensor = v.tensor >= 0 ? session.launch().tensors[v.tensor].name : "";
    e.type = v.tensor < 0        ? debug::type_text(v.dtype, v.shape.span())
             : v.shape.rank == 0 ? "into " + tensor
                                 : fmt::format("into {}, {}", tensor, fmt::join(v.shape.span(), " x "));
    e.text = v.is_kept() ? debug::elements_text(v, session.launch()) : "not recorded";
    e.is_new = std::any_of(variable->values.begin(), variable->values.end(),
                           [&](const auto& at) { return at.first == now && at.second == index; });
    e.is_used = used.contains(variable->name);
    table.rows.push_back({variable->name, debug::type_text(v.dtype, v.shape.span()), e.text});
    if (!v.is_kept()) continue;
    e.drawn = {variable->name, &v, access_of(p, index, now), tensor.empty() ? "" : "elements of " + tensor, {}};
    e.drawn.about.launch = p.launch;
    e.drawn.about.program = linear_id(session.launch(), p.id);
    entries.push_back(std::move(e));
  }
  return entries;
}

// The ground behind what the last step made.
void mark_new(Sheet& sheet, float x, float y, float w, float h) {
  sheet.rect(x, y, w, h, {Role::current}).layer = Layer::ground;
}

void draw_entry_name(Sheet& sheet, const Entry& e, float x, float y, float width) {
  Shape& name = sheet.text(x, y + 11, fitted(e.variable->name, width, 13, true), 13);
  name.is_mono = true;
  name.is_bold = e.is_new;
  name.id = "variable/" + e.variable->name;
  name.tooltip = fmt::format("{}: {}", e.variable->name, e.type);
  sheet.note(x, y + 26, fitted(e.type, width, least_text));
}

// Scalars beside each other, a name over a value.
float draw_scalars(Sheet& sheet, const std::vector<const Entry*>& scalars, float y) {
  float x = sheet.left();
  for (const Entry* e : scalars) {
    const std::string text =
        e->drawn.value->dtype == DType::int1 ? (trace::element_as_int(*e->drawn.value, 0) ? "True" : "False")
        : is_integer(e->drawn.value->dtype) || e->drawn.value->tensor >= 0 ? exact_text(*e->drawn.value, 0)
                                                                           : value_text(*e->drawn.value, 0);
    const float width = std::clamp(std::max({text_width(e->variable->name, 13.2f, true),
                                             text_width(e->type, least_text), text_width(text, 12, true) + 10}),
                                   48.f, 170.f) +
                        18;
    if (x > sheet.left() && x + width > sheet.right()) {
      x = sheet.left();
      y += 58;
    }
    if (e->is_new) mark_new(sheet, x - 5, y - 2, width - 6, 54);
    draw_entry_name(sheet, *e, x, y, width - 16);
    Shape& s = sheet.rect(x, y + 30, std::max(44.f, text_width(text, 12, true) + 10), 20, {Role::surface},
                          "value/" + e->variable->name);
    s.stroke = {Role::faint};
    s.ink = {Role::ink};
    s.is_mono = true;
    s.text = text;
    s.about = e->drawn.about;
    s.tooltip = fmt::format("{} = {}", e->variable->name, e->text);
    x += width;
  }
  return scalars.empty() ? y : y + 62;
}

float draw_heading(Sheet& sheet, const std::string& text, float y) {
  Shape& head = sheet.note(sheet.left(), y + 14, text, 12.5f);
  head.is_bold = true;
  sheet.line(sheet.left() + text_width(text, 12.5f, false, true) + 10, y + 10, sheet.right(), y + 10, {Role::faint});
  return y + 26;
}

float draw_block_entry(Sheet& sheet, const Entry& e, float y, ValueMarks& marks) {
  constexpr float label = 122;
  draw_entry_name(sheet, e, sheet.left(), y, label - 8);
  float beneath = y + 30;
  for (const std::string& part : wrapped(formula_text(*e.drawn.value), label - 10, least_text))
    sheet.note(sheet.left(), beneath += 12, part, least_text);
  const std::int64_t lanes = e.drawn.value->shape.product();
  if (e.drawn.value->dtype == DType::int1 && lanes > 8) {
    std::int64_t on = 0;
    for (std::int64_t i = 0; i < lanes; ++i) on += trace::element_as_int(*e.drawn.value, i) != 0;
    sheet.note(sheet.left(), beneath += 12,
               fitted(fmt::format("{} of {} on", count_text(on), count_text(lanes)), label - 8, least_text),
               least_text);
  }
  const float bottom =
      std::max(draw_value(sheet, e.drawn, sheet.left() + label, y, sheet.inner() - label, marks), beneath + 4);
  if (e.is_new) mark_new(sheet, sheet.left() - 6, y - 2, sheet.inner() + 12, bottom - y + 4);
  return bottom + 12;
}

constexpr std::ptrdiff_t long_list = 6;  // longer ones are grouped by purpose

// The blocks that the next line uses, or the others; `chosen`: 0 all; 1 the next line's; then a purpose.
void draw_entries(Sheet& sheet, const std::vector<Entry>& entries, bool is_used, int line, std::int64_t chosen,
                  ValueMarks& marks) {
  if (!is_used && chosen == 1) return;
  const bool is_long = std::ranges::count(entries, is_used, &Entry::is_used) > long_list && !is_used;
  std::string last_heading;
  for (const Purpose purpose : {Purpose::scalar, Purpose::place, Purpose::value}) {
    if (chosen > 1 && chosen - 2 != static_cast<int>(purpose)) continue;
    std::vector<const Entry*> group;
    for (const Entry& e : entries)
      if (e.is_used == is_used && purpose_of(*e.drawn.value) == purpose) group.push_back(&e);
    if (group.empty()) continue;
    const char* const name = headings[static_cast<int>(purpose)];
    const std::string heading = line <= 0 ? (is_long ? name : "")
                                : is_used ? fmt::format("In line {}, which is next", line)
                                : is_long ? fmt::format("The other {}", name)
                                          : "The others";
    if (heading != last_heading) sheet.y = draw_heading(sheet, heading, sheet.y);
    last_heading = heading;
    if (purpose == Purpose::scalar) sheet.y = draw_scalars(sheet, group, sheet.y);
    else
      for (const Entry* e : group) sheet.y = draw_block_entry(sheet, *e, sheet.y, marks);
  }
}

void add_legend(Sheet& sheet, const std::vector<Entry>& entries, const ValueMarks& marks) {
  if (std::ranges::any_of(entries, &Entry::is_new)) sheet.legend({"made by the last step", {Role::current}});
  if (marks.on) sheet.legend({"mask on: T", {Role::good, 0, 0, 0.35f}});
  if (marks.off) sheet.legend({"mask off: F, or masked off", {Role::surface}, Hatch::single});
  if (marks.off_merged)
    sheet.legend({marks.off ? "the same, where cells are small" : "mask off, or masked off", {Role::masked}});
  if (marks.scale) {
    sheet.legend({"smallest", magnitude(0)});
    sheet.legend({"largest of its block", magnitude(1)});
  }
  if (marks.not_finite) sheet.legend({"inf or nan", {Role::fault}});
}

// Above the values, which one scrolls: the shapes from `first` on move down beneath it.
void lay_legend_above(Sheet& sheet, float legend_y, std::size_t first) {
  if (sheet.drawing.legend.empty()) return;
  const float end = sheet.y;
  const std::size_t last = sheet.drawing.shapes.size();
  sheet.y = legend_y;
  sheet.lay_legend();
  const float taken = sheet.y - legend_y + 8;
  for (std::size_t i = first; i < last; ++i) sheet.drawing.shapes[i].y += taken;
  sheet.y = end + taken;
}

// The program's fault, at the moment behind the op that had it.
const Fault* fault_here(debug::Session& session) {
  const trace::RecordedProgram& p = session.program();
  for (const trace::RecordedFault& f : p.faults)
    if (session.now().step == std::min<std::size_t>(f.step + 1, p.steps.size())) return &f.fault;
  return nullptr;
}

}  // namespace

Drawing draw_block(Scene& scene, const Canvas& canvas) {
  debug::Session& session = scene.session;
  int line = 0;
  const auto used = names_of_statement(session, line);
  Table table{"variables", {"name", "type", "value"}, {}};
  const std::vector<Entry> entries = entries_of(session, used, table);
  const std::int64_t chosen = scene.setting("show", 0);
  Sheet sheet("block",
              fmt::format("What {} holds before step {}", program_text(session.launch(), session.program().id),
                          session.now().step),
              "Small numbers are lanes: rows downwards, columns to the right. Offsets count elements, other values "
              "have no unit.",
              canvas);
  if (const Fault* const fault = fault_here(session))
    sheet.y = sheet.paragraph(sheet.y,
                              fmt::format("line {}: {}{}", fault->site.line, fault->headline,
                                          fault->detail.empty() ? "" : ", " + fault->detail),
                              13, {Role::fault}, "fault", true) +
              8;
  const float legend_y = sheet.y - 4;
  const std::size_t first_shape = sheet.drawing.shapes.size();
  ValueMarks marks;
  for (const bool is_used : {true, false})
    draw_entries(sheet, entries, is_used, used.empty() ? 0 : line, chosen, marks);
  if (entries.size() > long_list)
    sheet.control({"show",
                   "shown",
                   Control::Kind::choice,
                   0,
                   4,
                   chosen,
                   {"all variables", "those of the next line", headings[0], headings[1], headings[2]}});
  if (entries.empty()) {
    sheet.note(sheet.left(), sheet.y + 10,
               session.view().steps() == 0 ? "this program did nothing: it has no op"
               : table.rows.empty()        ? "no variable has a value yet: step on (F10, or n)"
                                           : "values of this program were not recorded",
               13);
    sheet.y += 20;
  }
  add_legend(sheet, entries, marks);
  lay_legend_above(sheet, legend_y, first_shape);
  sheet.table(std::move(table));
  return sheet.finish();
}

}  // namespace tl::viz
