// Files: a golden SVG, a page that needs nothing from elsewhere, PNG.
#include "viz/export/export.h"
#include "viz/export/page_data.h"

#include <doctest/doctest.h>

#include "tests/viz/recorded_run.h"

using namespace tl;
using namespace tl::viz;

namespace {

Drawing wrong_offsets() {
  debug::Session session = recorded_run("copy_wrong_offsets", {"n=6", "block=2"});
  go_to_end(session, 2);
  Scene scene{.session = session};
  return draw_offsets(scene, {640, 400});
}

// The first tag that closes what is not open, or stays open; "": all is well.
std::string unbalanced(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "a tag without end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("!") || tag.ends_with("/")) continue;
    const std::string name =
        tag.substr(tag.starts_with("/") ? 1 : 0, tag.find_first_of(" \n", 1) - (tag.starts_with("/") ? 1 : 0));
    if (!tag.starts_with("/")) {
      open.push_back(name);
      if (name == "script" || name == "style") at = text.find("</", at);
    } else if (open.empty() || open.back() != name) {
      return tag;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

}  // namespace

TEST_CASE("SVG: well formed in every theme, text as text") {
  for (const ThemeName name : {ThemeName::light, ThemeName::dark, ThemeName::contrast}) {
    const std::string text = svg(wrong_offsets(), Theme(name));
    CHECK(unbalanced(text) == "");
    CHECK(text.find(">program 0</text>") != std::string::npos);
  }
}

TEST_CASE("HTML: well formed, with nothing from elsewhere, each step as a table too") {
  const Drawing d = wrong_offsets();
  std::string page = html("a & b <c>", {Walk{"", {Frame{"step 0", d}, Frame{"step 1 </script>", d}}}}, Theme());
  CHECK(unbalanced(page) == "");
  CHECK(page.find("<h1>a &amp; b &lt;c&gt;</h1>") != std::string::npos);
  CHECK(page.find("<th scope=\"col\">lanes</th>") != std::string::npos);
  for (const char* name : {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"})  // names, not addresses
    for (std::size_t at; (at = page.find(name)) != std::string::npos;) page.erase(at, std::string(name).size());
  for (const char* outside : {"http:", "https:", "src=", "@import", "//cdn"})
    CHECK_MESSAGE(page.find(outside) == std::string::npos, outside);
}

TEST_CASE("HTML: a page says which settings it holds, and what its shapes stand for") {
  const Drawing d = wrong_offsets();
  const std::string one = html("t", {Walk{"", {Frame{"step", d}}}}, Theme()),
                    two =
                        html("t", {Walk{"as given", {Frame{"step", d}}}, Walk{"block=4", {Frame{"step", d}}}}, Theme());
  CHECK(one.find("<select id=\"walk\"") == std::string::npos);
  CHECK(one.find("<body class=\"still\">") != std::string::npos);  // nothing to play
  CHECK(two.find("<option>block=4</option>") != std::string::npos);
  CHECK(html_data({Walk{"", {Frame{"step", d}}}}, Theme()).find("data-a=\\\"0,") != std::string::npos);  // program 0
}

TEST_CASE("HTML: a shape that does not change is kept once") {
  const Drawing d = wrong_offsets();
  const std::vector<Frame> frames(100, Frame{"step", d});
  CHECK(html("t", {Walk{"", frames}}, Theme()).size() < 3 * html("t", {Walk{"", {frames[0]}}}, Theme()).size());
}

TEST_CASE("HTML: a page's data is packed, so that many steps of a large picture are a small file") {
  if (deflated("x").empty()) {
    MESSAGE("skipped: built without zlib");
    return;
  }
  std::string json;
  for (int i = 0; i < 100000; ++i) json += "<path d=\"" + std::to_string(i * i) + "\"/>";
  const std::string element = data_element(json);
  CHECK(element.size() < json.size() / 3);
  CHECK(element.find('<', 1) == element.rfind("</script>"));
  CHECK(deflated("a").substr(0, 2) == "\x78\xda");  // zlib's header at its best compression, RFC 1950
}

TEST_CASE("PNG: the pixels that were asked for") {
  if (!has_png()) {
    MESSAGE("skipped: built without Cairo");
    return;
  }
  const std::string bytes = png(wrong_offsets(), Theme(ThemeName::dark), 2);
  const auto big_endian = [&](std::size_t at) {
    return static_cast<unsigned char>(bytes[at + 2]) * 256 + static_cast<unsigned char>(bytes[at + 3]);
  };
  CHECK(bytes.substr(1, 3) == "PNG");
  CHECK(big_endian(16) == 1280);  // width, in the IHDR chunk
}

TEST_CASE("BMP: a byte a texel, rows padded to four, after the palette") {
  Image image;
  image.columns = 3;
  image.rows = 2;
  image.texels = {0, 1, 0, 1, 1, 0};
  image.palette = {{{Role::paper}, ""}, {{Role::ink}, ""}};
  const std::string bytes = bmp(image, Theme());
  CHECK(bytes.substr(0, 2) == "BM");
  CHECK(bytes.size() == 14 + 40 + 2 * 4 + 2 * 4);  // BITMAPFILEHEADER, BITMAPINFOHEADER, two colours, two rows
  CHECK(bytes.substr(62) == std::string("\0\1\0\0\1\1\0\0", 8));
}

TEST_CASE("base64: RFC 4648's examples") {
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}
