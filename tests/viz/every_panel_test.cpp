// What holds of every panel, whatever it draws: time runs both ways, ids stand once, texts stay on the sheet.
#include <doctest/doctest.h>

#include <set>
#include <utility>
#include <vector>

#include "tests/viz/recorded_run.h"
#include "viz/model/sheet.h"

using namespace tl;
using namespace tl::viz;

TEST_CASE("every panel: n steps forward and n back give the same drawing, and no id stands twice") {
  std::set<std::string> seen;
  const std::vector<std::pair<const char*, std::vector<std::string>>> runs = {
      {"grey", {}},
      {"softmax", {"rows=4", "cols=13"}},
      {"dropout", {"n=40", "block=16"}},
      {"grouped_matmul", {"m=32", "n=48", "k=32", "bm=16", "bn=16", "bk=16"}},
      {"attention", {"seq=32", "head_dim=16", "bm=16", "bn=16", "heads=2"}}};
  for (const auto& run : runs) {
    const auto& [kernel, settings] = run;
    debug::Session session = recorded_run(kernel, settings);
    for (const Panel& panel : panels()) {
      session.go({1, 0});
      Scene scene{.session = session};
      if (!panel.missing(scene).empty()) continue;
      seen.insert(panel.name);
      std::vector<std::string> forwards;
      for (int i = 0; i < 12; ++i) {
        const bool has = panel.missing(scene).empty();
        forwards.push_back(has ? model_text(panel.draw(scene, {})) : "");
        session.step(true);
      }
      for (int i = 11; i >= 0; --i) {
        session.step(false);
        if (panel.missing(scene).empty())
          CHECK(model_text(panel.draw(scene, {})) == forwards[static_cast<std::size_t>(i)]);
      }
      std::set<std::string> ids;
      for (const Shape& s : panel.draw(scene, {}).shapes)
        if (!s.id.empty())
          CHECK_MESSAGE(ids.insert(s.id).second,
                        panel.name << " has two shapes " << s.id << " of " << std::string(run.first));
    }
  }
  CHECK(seen.size() ==
        panels().size() - 5);  // timeline, limits, tuning, code and compare come from what runs beside the recording
}

TEST_CASE("every panel: texts stay within the sheet") {
  debug::Session session = recorded_run("softmax", {"rows=4", "cols=13"});
  go_to_end(session, 1);
  for (const Panel& panel : panels())
    for (const float width : {480.f, 960.f}) {
      Scene scene{.session = session};
      if (!panel.missing(scene).empty()) continue;
      const Drawing d = panel.draw(scene, {width, 600});
      for (const Shape& s : d.shapes) {
        if (s.kind != Kind::text) continue;
        const float w = text_width(s.text, s.size, s.is_mono, s.is_bold), x = s.align == Align::left    ? s.x
                                                                              : s.align == Align::right ? s.x - w
                                                                                                        : s.x - w / 2;
        CHECK_MESSAGE(x >= -1, panel.name << " at " << width << ": \"" << s.text << "\" begins left of the sheet");
        CHECK_MESSAGE(x + w <= d.width + 1,
                      panel.name << " at " << width << ": \"" << s.text << "\" ends beyond the sheet");
      }
    }
}

TEST_CASE("every panel: no text is smaller than 11 px") {
  const std::vector<std::pair<const char*, std::vector<std::string>>> runs = {
      {"grey", {}},
      {"softmax", {"rows=40", "cols=13"}},
      {"dropout", {"n=40", "block=16"}},
      {"copy_wrong_offsets", {"n=6", "block=2"}},
      {"grouped_matmul", {"m=144", "n=144", "k=144", "bm=16", "bn=16", "bk=16"}},
      {"attention", {"seq=64", "head_dim=16", "bm=16", "bn=16", "heads=2"}}};
  const machine::Schedule schedule = small_schedule();
  ModelRun model;
  model.own = schedule;
  for (const auto& run : runs) {
    debug::Session session = recorded_run(run.first, run.second);
    go_to_end(session, 1);
    for (const Panel& panel : panels())
      for (const float width : {480.f, 960.f}) {
        Scene scene{.session = session, .model = &model};
        if (!panel.missing(scene).empty()) continue;
        for (const Shape& s : panel.draw(scene, {width, 500}).shapes)
          if (!s.text.empty())
            CHECK_MESSAGE(s.size >= 11, panel.name << " of " << run.first << " at " << width << ": \"" << s.text
                                                   << "\" is " << s.size << " px");
      }
  }
}

TEST_CASE("every panel: one that would be cut off by a little is drawn lower") {
  debug::Session session = recorded_run("copy_wrong_offsets", {"n=6", "block=2"});
  go_to_end(session, 1);
  Scene scene{.session = session};
  const Panel& memory = *find_panel("memory");
  const float whole = memory.draw(scene, {900, 500}).height;
  CHECK(draw_fitting(memory, scene, {900, whole}).height <= whole);
  CHECK(draw_fitting(memory, scene, {900, 40}).height > 40);  // scrolled
}
