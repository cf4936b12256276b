#include <cerrno>
#include <future>
#include <ostream>
#include <utility>

#include "interp/lang/output_file.h"
#include "interp/trace/bytes.h"
#include "interp/trace/file.h"
#include "interp/trace/magic.h"
#include "interp/trace/read_as.h"

namespace tl::trace {
namespace {

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {
    out_.write(file_magic.data(), static_cast<std::streamsize>(file_magic.size()));
    fixed<std::uint32_t>(file_version);
  }

  void chunk(const char* tag, const ByteWriter& payload) {
    std::uint64_t size = 0;
    payload.for_each_piece([&](std::span<const std::byte> piece) { size += piece.size(); });
    const auto checksum = [&] {
      std::uint32_t c = crc32(std::span(reinterpret_cast<const std::byte*>(tag), 4));
      payload.for_each_piece([&](std::span<const std::byte> piece) { c = crc32(piece, c); });
      return c;
    };
    // progress, while a long file is written
    auto sum =
        std::async(size < 1 << 20 ? std::launch::deferred : std::launch::async | std::launch::deferred, checksum);
    out_.write(tag, 4);
    fixed(size);
    payload.for_each_piece([&](std::span<const std::byte> piece) {
      out_.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
    });
    fixed(sum.get());
    if (!out_) throw not_written("the trace", errno);
  }

 private:
  template <class T>
  void fixed(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) out_.put(static_cast<char>(value >> (8 * i)));
  }
  std::ostream& out_;
};

void put(ByteWriter& w, const Extents& e) {
  w.number(static_cast<std::uint64_t>(e.rank));
  for (std::int64_t v : e.span()) w.signed_number(v);
}

void put(ByteWriter& w, const RecordedSite& s) {
  w.signed_number(s.file);
  w.signed_number(s.line);
  w.signed_number(s.column);
}

void put(ByteWriter& w, const RecordedValue& v) {
  w.number(static_cast<std::uint64_t>(v.form));
  w.number(static_cast<std::uint64_t>(v.dtype));
  w.signed_number(v.tensor);
  put(w, v.shape);
  if (!v.is_kept()) return;
  if (v.form == Form::affine) {
    for (int i = 0; i <= v.shape.rank; ++i) w.signed_number(read_as<std::int64_t>(v.bytes + 8 * i));
    return;
  }
  w.raw_in_place(v.bytes, v.element_bytes() * static_cast<std::size_t>(v.form == Form::splat ? 1 : v.shape.product()));
}

void put(ByteWriter& w, const RecordedAccess& a, DType dtype) {
  w.number(static_cast<std::uint64_t>(a.kind) | (a.is_tile ? 4u : 0u) | (a.mask ? 8u : 0u) | (a.effect ? 16u : 0u));
  w.signed_number(a.tensor);
  put(w, a.shape);
  if (a.is_tile) {
    w.signed_number(a.base);
    for (const Extents* e : {&a.strides, &a.lo, &a.hi}) put(w, *e);
  } else {
    std::uint64_t before = 0;
    for (std::int64_t lane = 0; lane < a.lanes(); ++lane) {
      const auto offset = static_cast<std::uint64_t>(a.offset(lane));
      w.signed_number(static_cast<std::int64_t>(offset - std::exchange(before, offset)));
    }
    if (a.mask) w.raw(a.mask, static_cast<std::size_t>(a.lanes()));
  }
  if (a.effect) w.raw_in_place(a.effect, static_cast<std::size_t>(a.active * size_in_bytes(dtype)));
}

void put(ByteWriter& w, const RecordedFault& f, RecordedTrace& files) {
  w.number(f.step);
  w.number(static_cast<std::uint64_t>(f.fault.kind));
  put(w, RecordedSite{files.file_index(f.fault.site.file), f.fault.site.line, f.fault.site.column});
  for (std::int64_t i : {f.fault.program.x, f.fault.program.y, f.fault.program.z, f.fault.lane, f.fault.element})
    w.signed_number(i);
  for (const std::string* t : {&f.fault.tensor, &f.fault.headline, &f.fault.detail, &f.fault.fix}) w.text(*t);
}

void put(ByteWriter& w, const RecordedProgram& p, const RecordedTrace& trace, RecordedTrace& files) {
  w.number(static_cast<std::uint64_t>(p.launch));
  for (std::int64_t i : {p.id.x, p.id.y, p.id.z}) w.signed_number(i);
  w.number(static_cast<std::uint64_t>(p.keep));
  w.number(p.is_cut_short);
  w.number(p.texts.size());
  for (const std::string& t : p.texts) w.text(t);
  w.number(p.values.size());
  for (const RecordedValue& v : p.values) put(w, v);
  w.number(p.accesses.size());
  const auto& tensors = trace.launches[p.launch].tensors;
  for (const RecordedAccess& a : p.accesses) put(w, a, tensors[a.tensor].dtype);
  w.number(p.steps.size());
  for (const Step& s : p.steps) {
    w.number(static_cast<std::uint64_t>(s.op));
    w.number(s.operands);
    w.number(s.results);
    put(w, s.site);
    w.signed_number(s.access);
    w.signed_number(s.text);
    for (std::int32_t r : p.operands(s)) w.number(static_cast<std::uint64_t>(r));
    for (std::int32_t r : p.results(s)) w.number(static_cast<std::uint64_t>(r));
  }
  w.number(p.scopes.size());
  for (const RecordedScope& s : p.scopes) {
    put(w, s.body);
    put(w, s.call);
  }
  w.number(p.variables.size());
  for (const VariableEvent& e : p.variables) {
    w.number(e.step);
    w.number(static_cast<std::uint64_t>(e.change));
    w.number(e.object);
    w.signed_number(e.index);
  }
  w.number(p.faults.size());
  for (const RecordedFault& f : p.faults) put(w, f, files);
}

ByteWriter launch_payload(const RecordedLaunch& launch) {
  ByteWriter w;
  w.text(launch.kernel);
  w.text(launch.source);
  for (std::int64_t g : launch.grid) w.signed_number(g);
  w.number(launch.arguments.size());
  for (const std::string& a : launch.arguments) w.text(a);
  w.number(launch.tensors.size());
  for (const RecordedTensor& t : launch.tensors) {
    w.text(t.name);
    w.number(static_cast<std::uint64_t>(t.dtype));
    w.number(t.shape.size());
    for (std::int64_t n : t.shape) w.signed_number(n);
    for (std::int64_t n : t.strides) w.signed_number(n);
    w.number(static_cast<std::uint64_t>(t.storage_elems));
    w.number(t.has_before ? 1 : t.pages.empty() ? 0 : 2);
    if (!t.has_before && !t.pages.empty()) {
      w.number(t.pages.size());
      for (std::int64_t page : t.pages) w.number(static_cast<std::uint64_t>(page));
    }
    if (t.has_before || !t.pages.empty()) w.raw_in_place(t.before.data(), t.before.size());
  }
  return w;
}

}  // namespace

void write(const RecordedTrace& trace, std::ostream& out, const std::function<void(std::size_t)>& progress) {
  RecordedTrace files;  // faults name their files too
  files.files = trace.files;
  for (const RecordedProgram& p : trace.programs)
    for (const RecordedFault& f : p.faults) files.file_index(f.fault.site.file);
  Writer writer(out);
  ByteWriter names;
  names.number(files.files.size());
  for (const std::string& f : files.files) names.text(f);
  writer.chunk("FILE", names);
  ByteWriter ops;
  ops.number(op_table.size());
  for (const OpInfo& op : op_table) ops.text(std::string(op.name));
  writer.chunk("OPSN", ops);
  for (const SourceText& s : trace.sources) {
    ByteWriter w;
    w.text(s.file);
    w.text(s.text);
    writer.chunk("SRCT", w);
  }
  for (const RecordedLaunch& l : trace.launches) writer.chunk("LNCH", launch_payload(l));
  ByteWriter program;  // one for all: its memory is used again
  for (std::size_t p = 0; p < trace.programs.size(); ++p) {
    program.clear();
    put(program, trace.programs[p], trace, files);
    writer.chunk("PROG", program);
    if (progress) progress(p + 1);
  }
  for (const std::string& note : trace.notes) {
    ByteWriter w;
    w.text(note);
    writer.chunk("NOTE", w);
  }
  if (trace.wrong) {
    ByteWriter w;
    w.number(trace.wrong->size());
    for (const auto& [tensor, elements] : *trace.wrong) {
      w.text(tensor);
      w.number(elements.size());
      std::int64_t before = 0;
      for (const std::int64_t e : elements) w.number(static_cast<std::uint64_t>(e - std::exchange(before, e)));
    }
    writer.chunk("WRNG", w);
  }
  ByteWriter end;
  end.number(trace.programs.size());
  writer.chunk("ENDT", end);
  out.flush();
}

void save(const RecordedTrace& trace, const std::string& path, const std::function<void(std::size_t)>& progress) {
  write_file(path, [&](std::ostream& out) { write(trace, out, progress); });
}

}  // namespace tl::trace
