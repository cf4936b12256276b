#include "interp/trace/merge.h"

#include <algorithm>
#include <tuple>

namespace tl::trace {

namespace {

// Where programs stand in a run that takes them by their ids.
auto place_of(const RecordedProgram& p) { return std::tuple(p.launch, p.id.z, p.id.y, p.id.x); }

void add_pages(RecordedTensor& to, const RecordedTensor& more) {
  if (to.has_before) return;
  const auto size = static_cast<std::ptrdiff_t>(size_in_bytes(to.dtype));
  auto from = more.before.begin();
  for (const std::int64_t page : more.pages) {
    const auto end = from + size * static_cast<std::ptrdiff_t>(more.elems_of_page(page));
    if (std::ranges::find(to.pages, page) == to.pages.end()) {
      to.pages.push_back(page);
      to.before.insert(to.before.end(), from, end);
    }
    from = end;
  }
}

// Its places name files of `to`.
void adopt(RecordedTrace& to, RecordedProgram& program, const std::deque<std::string>& files) {
  const auto adopt_site = [&](RecordedSite& site) {
    if (site.file >= 0) site.file = to.file_index(files[site.file]);
  };
  for (Step& s : program.steps) adopt_site(s.site);
  for (RecordedScope& s : program.scopes) {
    adopt_site(s.body);
    adopt_site(s.call);
  }
  for (RecordedFault& f : program.faults)
    if (f.fault.site.file) f.fault.site.file = to.files[to.file_index(f.fault.site.file)].c_str();
}

}  // namespace

void merge(RecordedTrace& to, RecordedTrace more, int launch) {
  auto& tensors = to.launches.at(launch).tensors;
  const auto& given = more.launches.front().tensors;
  for (std::size_t t = 0; t < std::min(tensors.size(), given.size()); ++t) add_pages(tensors[t], given[t]);
  for (RecordedProgram& program : more.programs) {
    program.launch = launch;
    adopt(to, program, more.files);
    const auto at = std::ranges::lower_bound(to.programs, place_of(program), {}, place_of);
    if (at != to.programs.end() && place_of(*at) == place_of(program)) *at = std::move(program);
    else to.programs.insert(at, std::move(program));
  }
  for (SourceText& source : more.sources)
    if (std::ranges::find(to.sources, source.file, &SourceText::file) == to.sources.end())
      to.sources.push_back(std::move(source));
}

}  // namespace tl::trace
