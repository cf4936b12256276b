// Texts: files where they are on the disk, and what the recording holds where they are not.
#include <fmt/format.h>

#include <filesystem>

#include "interp/dap/adapter.h"
#include "interp/lang/file_name.h"
#include "interp/trace/recorder.h"

namespace tl::dap {

namespace fs = std::filesystem;

// Told from the folder of the kernel's file, or from where the program ran.
std::string Adapter::path_of(int file) {
  const debug::SourceModel* const model = session().sources().model(file);
  const fs::path name = session().trace().files[static_cast<std::size_t>(file)];
  for (const fs::path& folder :
       {fs::path(request_.folder) / fs::path(request_.program).parent_path(), fs::path(request_.folder)}) {
    std::error_code nowhere;
    const fs::path path = fs::absolute(folder / name, nowhere).lexically_normal();
    if (nowhere || !fs::is_regular_file(path, nowhere)) continue;
    const auto text = trace::read_text(path.string());
    if (text && (!model || *text == model->text())) return path.string();
  }
  return "";
}

Json Adapter::source_of(int file) {
  const fs::path name = session().trace().files[static_cast<std::size_t>(file)];
  Json source{{"name", name.filename().string()}};
  if (const std::string path = path_of(file); !path.empty()) source["path"] = path;
  else if (session().sources().model(file)) source["sourceReference"] = file + 1;
  return source;
}

int Adapter::file_of(const Json& source) {
  const auto files = static_cast<int>(session().trace().files.size());
  if (const std::int64_t reference = integer_of(source, "sourceReference", 0); reference > 0 && reference <= files)
    return static_cast<int>(reference - 1);
  const fs::path wanted = text_of(source, "path", text_of(source, "name", ""));
  std::error_code differs;
  for (int f = 0; f < files; ++f) {
    const fs::path name = session().trace().files[static_cast<std::size_t>(f)];
    const std::string path = path_of(f);
    // A text that was built in is also the one of that name in somebody's tree.
    if ((!path.empty() && fs::equivalent(path, wanted, differs)) || name == wanted ||
        (path.empty() && wanted.generic_string().ends_with("/" + name.generic_string())))
      return f;
  }
  throw Error(fmt::format("no op was recorded in {}", wanted.filename().string()),
              "see that it is the kernel's file, or one that it includes; after a change, launch again");
}

Json Adapter::source(const Json& arguments) {
  const Json source = arguments.value("source", Json::object());
  const std::int64_t reference =
      integer_of(source, "sourceReference", integer_of(arguments, "sourceReference", std::int64_t{0}));
  const auto files = static_cast<std::int64_t>(session().trace().files.size());
  const debug::SourceModel* const model =
      reference > 0 && reference <= files ? session().sources().model(static_cast<int>(reference - 1)) : nullptr;
  if (!model)
    throw Error(fmt::format("there is no text {}", reference), "stackTrace and loadedSources name those there are");
  return {{"content", model->text()}, {"mimeType", is_python(model->file()) ? "text/x-python" : "text/x-c++hdr"}};
}

Json Adapter::loaded_sources(const Json&) {
  Json all = Json::array();
  for (std::size_t f = 0; f < session().trace().files.size(); ++f) all.push_back(source_of(static_cast<int>(f)));
  return {{"sources", all}};
}

}  // namespace tl::dap
