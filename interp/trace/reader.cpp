#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <istream>
#include <memory>
#include <sstream>

#include "interp/lang/input_file.h"
#include "interp/trace/bytes.h"
#include "interp/trace/file.h"
#include "interp/trace/magic.h"

namespace tl::trace {
namespace {

constexpr std::uint64_t most_lanes = 1 << 24;
constexpr std::uintmax_t most_trace_bytes = std::uintmax_t{64} << 30;
constexpr std::int64_t farthest = std::int64_t{1} << 48;  // offsets and strides beyond it are no tensor's

// The ops as formats 1 and 2 number them.
constexpr const char* ops_of_format_2 =
    "program_id num_programs arange zeros full cast slice broadcast_to expand_dims reshape permute trans split join "
    "convert_layout add sub mul div mod bit_and bit_or bit_xor shl shr neg bit_not logical_not lt le gt ge eq ne where "
    "minimum maximum clamp exp exp2 log log2 sqrt rsqrt sin cos sigmoid erf floor ceil abs fma cdiv umulhi sum max min "
    "argmax argmin reduce cumsum dot load store atomic_add make_block_ptr advance tile stage range pipelined swizzle2d "
    "rand randint randn multiple_of assume print_if breakpoint_if device_assert";

// An op of the trace's list. The language may have lost one that no step uses.
Op known(const std::string& name) {
  if (const auto op = op_of(name)) return *op;
  throw Error("the trace has an op that this program does not know: \"" + name + "\"",
              "update tilescope, or record it again");
}

std::int64_t near_number(ByteReader& r, const char* what) {
  const std::int64_t v = r.signed_number();
  if (v > farthest || v < -farthest) r.damaged(std::string(what) + " out of range");
  return v;
}

// An index of a list of `size`, or -1.
std::int32_t index_or_none(ByteReader& r, std::size_t size, const char* what) {
  const std::int64_t v = r.signed_number();
  if (v < -1 || v >= static_cast<std::int64_t>(size))
    r.damaged(std::string(what) + " " + std::to_string(v) + " of " + std::to_string(size));
  return static_cast<std::int32_t>(v);
}

Extents extents(ByteReader& r, const char* what) {
  Extents e;
  e.rank = static_cast<int>(r.number(max_rank, "axes"));
  for (int d = 0; d < e.rank; ++d) e.at[d] = near_number(r, what);
  return e;
}

Extents shape(ByteReader& r) {
  const Extents e = extents(r, "an extent");
  std::uint64_t lanes = 1;
  for (std::int64_t n : e.span()) {
    if (n < 0 || static_cast<std::uint64_t>(n) > most_lanes) r.damaged("an extent of " + std::to_string(n));
    lanes *= static_cast<std::uint64_t>(n);
    if (lanes > most_lanes) r.damaged("a block of more than " + std::to_string(most_lanes) + " lanes");
  }
  return e;
}

RecordedSite site(ByteReader& r, std::size_t files) {
  RecordedSite s;
  s.file = index_or_none(r, files, "a file");
  s.line = static_cast<int>(near_number(r, "a line") & 0x3FFFFFFF);
  s.column = static_cast<int>(near_number(r, "a column") & 0x3FFFFFFF);
  return s;
}

RecordedValue value(ByteReader& r, Arena& arena, std::size_t tensors) {
  RecordedValue v;
  v.form = static_cast<Form>(r.number(static_cast<std::uint64_t>(Form::affine), "a form"));
  v.dtype = static_cast<DType>(r.number(dtype_count - 1, "a dtype"));
  v.tensor = index_or_none(r, tensors, "a tensor");
  v.shape = shape(r);
  if (!v.is_kept()) return v;
  if (v.form == Form::affine) {
    if (v.dtype != DType::int32 && v.dtype != DType::int64) r.damaged("an affine block that is not an integer");
    auto* const numbers = arena.allocate(sizeof(std::int64_t) * static_cast<std::size_t>(v.shape.rank + 1));
    for (int i = 0; i <= v.shape.rank; ++i) {
      const std::int64_t n = r.signed_number();
      std::memcpy(numbers + 8 * i, &n, 8);
    }
    v.bytes = numbers;
    return v;
  }
  const std::size_t elems = v.form == Form::splat ? 1 : static_cast<std::size_t>(v.shape.product());
  if (v.shape.product() == 0) r.damaged("a block without lanes");
  const auto bytes = r.raw(elems * v.element_bytes(), "a block");
  v.bytes = arena.copy(bytes.data(), bytes.size());
  return v;
}

RecordedAccess access(ByteReader& r, Arena& arena, const std::vector<RecordedTensor>& tensors) {
  RecordedAccess a;
  const std::uint64_t flags = r.number(31, "an access");
  if ((flags & 3) > 2) r.damaged("an access of no known kind");
  a.kind = static_cast<AccessKind>(flags & 3);
  a.is_tile = flags & 4;
  a.tensor = index_or_none(r, tensors.size(), "a tensor");
  if (a.tensor < 0) r.damaged("an access to no tensor");
  a.shape = shape(r);
  const std::int64_t lanes = a.lanes();
  if (a.is_tile) {
    a.base = near_number(r, "a base");
    a.strides = extents(r, "a stride");
    a.lo = extents(r, "a bound");
    a.hi = extents(r, "a bound");
    if (a.strides.rank != a.shape.rank || a.lo.rank != a.shape.rank || a.hi.rank != a.shape.rank)
      r.damaged("a tile whose axes differ");
    for (int d = 0; d < a.shape.rank; ++d) {
      if (a.lo[d] < 0 || a.hi[d] > a.shape[d]) r.damaged("a tile's bounds outside its shape");
      const double reach = std::abs(static_cast<double>(a.strides[d])) * static_cast<double>(a.shape[d]);
      if (reach > static_cast<double>(farthest)) r.damaged("a tile that reaches too far");
    }
  } else {
    if (static_cast<std::uint64_t>(lanes) > r.left()) r.damaged("fewer offsets than lanes");
    auto* const offsets =
        reinterpret_cast<std::int64_t*>(arena.allocate(sizeof(std::int64_t) * static_cast<std::size_t>(lanes)));
    std::uint64_t before = 0;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      before += static_cast<std::uint64_t>(r.signed_number());
      offsets[lane] = static_cast<std::int64_t>(before);
    }
    a.offsets = offsets;
    if (flags & 8) {
      const auto mask = r.raw(static_cast<std::size_t>(lanes), "a mask");
      a.mask = reinterpret_cast<const unsigned char*>(arena.copy(mask.data(), mask.size()));
    }
  }
  a.count_lanes();
  if (flags & 16) {
    const RecordedTensor& tensor = tensors[a.tensor];
    if (!a.writes() || a.active == 0 || a.first < 0 || a.last >= tensor.storage_elems)
      r.damaged("a store outside its tensor");
    const auto effect = r.raw(
        static_cast<std::size_t>(a.active) * static_cast<std::size_t>(size_in_bytes(tensor.dtype)), "a store's values");
    a.effect = arena.copy(effect.data(), effect.size());
  }
  return a;
}

RecordedFault fault(ByteReader& r, const std::deque<std::string>& files, std::size_t steps) {
  RecordedFault f;
  f.step = static_cast<std::uint32_t>(r.number(steps, "a failure's step"));
  f.fault.kind = static_cast<FaultKind>(r.number(static_cast<std::uint64_t>(FaultKind::other), "a failure"));
  const RecordedSite s = site(r, files.size());
  if (s.file >= 0) f.fault.site = {files[s.file].c_str(), s.line, s.column};
  for (std::int64_t* n : {&f.fault.program.x, &f.fault.program.y, &f.fault.program.z, &f.fault.lane, &f.fault.element})
    *n = r.signed_number();
  for (std::string* t : {&f.fault.tensor, &f.fault.headline, &f.fault.detail, &f.fault.fix})
    *t = r.text("a failure's text");
  return f;
}

VariableEvent variable_event(ByteReader& r, const RecordedProgram& p, std::uint32_t version) {
  VariableEvent e;
  e.step = static_cast<std::uint32_t>(r.number(p.steps.size(), "a variable's step"));
  if (!p.variables.empty() && e.step < p.variables.back().step) r.damaged("variables out of order");
  constexpr auto last = static_cast<std::uint64_t>(VariableChange::scope_ends);
  if (version >= 4) e.change = static_cast<VariableChange>(r.number(last, "a variable's change"));
  e.object = static_cast<std::uint32_t>(r.number(~std::uint32_t{0}, "a variable"));
  const std::size_t size = e.change == VariableChange::named          ? p.texts.size()
                           : e.change == VariableChange::scope_begins ? p.scopes.size()
                                                                      : p.values.size();
  e.index = index_or_none(r, size, "what a variable took");
  if (version < 4 && e.index < 0) e.change = VariableChange::forgotten;
  const bool has_index = e.change != VariableChange::forgotten && e.change != VariableChange::scope_ends;
  if (has_index != (e.index >= 0)) r.damaged("an impossible change of a variable");
  return e;
}

void program(ByteReader& r, RecordedTrace& trace, const std::vector<std::string>& ops, std::uint32_t version) {
  RecordedProgram& p = trace.programs.emplace_back();
  if (trace.launches.empty()) r.damaged("a program before its launch");
  p.launch = static_cast<int>(r.number(trace.launches.size() - 1, "a launch"));
  if (trace.programs.size() > 1 && trace.programs[trace.programs.size() - 2].launch > p.launch)
    r.damaged("launches out of order");
  for (std::int64_t* i : {&p.id.x, &p.id.y, &p.id.z}) *i = near_number(r, "a program id");
  p.keep = static_cast<Keep>(r.number(2, "what was kept"));
  p.is_cut_short = r.number(1, "a flag") != 0;
  const auto& tensors = trace.launches[p.launch].tensors;
  for (std::size_t n = r.count(1, "texts"); n-- > 0;) p.texts.push_back(r.text("a text"));
  // One arena for the whole file: an arena for each program would take 32 KiB for a few bytes.
  Arena& arena = trace.programs.front().arena;
  const std::size_t values = r.count(4, "values");
  p.values.reserve(values);
  for (std::size_t n = values; n-- > 0;) p.values.push_back(value(r, arena, tensors.size()));
  const std::size_t accesses = r.count(3, "accesses");
  p.accesses.reserve(accesses);
  for (std::size_t n = accesses; n-- > 0;) p.accesses.push_back(access(r, arena, tensors));
  for (std::size_t n = r.count(8, "steps"); n-- > 0;) {
    Step s;
    if (ops.empty()) r.damaged("a program before the list of ops");
    s.op = known(ops[r.number(ops.size() - 1, "an op")]);
    s.operands = static_cast<unsigned char>(r.number(255, "operands"));
    s.results = static_cast<unsigned char>(r.number(255, "results"));
    s.site = site(r, trace.files.size());
    s.access = index_or_none(r, p.accesses.size(), "an access");
    s.text = index_or_none(r, p.texts.size(), "a text");
    s.first_ref = static_cast<std::uint32_t>(p.refs.size());
    for (int i = 0; i < s.operands + s.results; ++i) {
      if (p.values.empty()) r.damaged("an operand without values");
      p.refs.push_back(static_cast<std::int32_t>(r.number(p.values.size() - 1, "a value")));
    }
    p.steps.push_back(s);
  }
  for (std::size_t n = version < 4 ? 0 : r.count(6, "scopes"); n-- > 0;) {
    const RecordedSite body = site(r, trace.files.size());
    p.scopes.push_back({body, site(r, trace.files.size())});
  }
  for (std::size_t n = r.count(3, "variables"); n-- > 0;) p.variables.push_back(variable_event(r, p, version));
  for (std::size_t n = r.count(8, "failures"); n-- > 0;) p.faults.push_back(fault(r, trace.files, p.steps.size()));
}

void launch(ByteReader& r, RecordedTrace& trace) {
  RecordedLaunch& l = trace.launches.emplace_back();
  l.kernel = r.text("a kernel's name");
  l.source = r.text("a file's name");
  for (std::int64_t& g : l.grid) g = near_number(r, "a grid");
  for (std::size_t n = r.count(1, "arguments"); n-- > 0;) l.arguments.push_back(r.text("an argument"));
  for (std::size_t n = r.count(4, "tensors"); n-- > 0;) {
    RecordedTensor& t = l.tensors.emplace_back();
    t.name = r.text("a tensor's name");
    t.dtype = static_cast<DType>(r.number(dtype_count - 1, "a dtype"));
    const std::size_t rank = r.count(2, "axes");
    for (std::size_t d = 0; d < rank; ++d) t.shape.push_back(near_number(r, "an extent"));
    for (std::size_t d = 0; d < rank; ++d) t.strides.push_back(near_number(r, "a stride"));
    t.storage_elems = static_cast<std::int64_t>(r.number(static_cast<std::uint64_t>(farthest), "a tensor's size"));
    double largest = 0;  // element the shape reaches
    for (std::size_t d = 0; d < rank; ++d) {
      if (t.shape[d] < 0 || t.strides[d] < 0) r.damaged("a negative extent or stride");
      largest += static_cast<double>(t.shape[d] > 0 ? t.shape[d] - 1 : 0) * static_cast<double>(t.strides[d]);
    }
    bool is_empty = false;
    for (std::int64_t n : t.shape) is_empty |= n == 0;
    if (!is_empty && largest >= static_cast<double>(t.storage_elems)) r.damaged("a tensor smaller than its shape");
    const std::uint64_t kept = r.number(2, "what is kept of a tensor");  // nothing, all, some pages
    if (kept == 0) continue;
    t.has_before = kept == 1;
    std::int64_t elems = t.has_before ? t.storage_elems : 0;
    for (std::size_t pages = t.has_before ? 0 : r.count(1, "pages"); pages-- > 0;) {
      t.pages.push_back(static_cast<std::int64_t>(r.number(static_cast<std::uint64_t>(farthest), "a page")));
      if (t.pages.back() >= t.page_count()) r.damaged("a page beyond its tensor");
      elems += t.elems_of_page(t.pages.back());
    }
    const std::size_t size = static_cast<std::size_t>(size_in_bytes(t.dtype));
    if (static_cast<std::size_t>(elems) > r.left() / size) r.damaged("a tensor of more bytes than are left");
    const auto bytes = r.raw(static_cast<std::size_t>(elems) * size, "a tensor");
    t.before.assign(bytes.begin(), bytes.end());
  }
}

void wrong_elements(ByteReader& r, RecordedTrace& trace) {
  trace.wrong.emplace();
  for (std::size_t n = r.count(2, "tensors"); n-- > 0;) {
    std::vector<std::int64_t>& elements = (*trace.wrong)[r.text("a tensor's name")];
    std::int64_t at = 0;
    for (std::size_t e = r.count(1, "elements"); e-- > 0;) {
      at += static_cast<std::int64_t>(r.number(static_cast<std::uint64_t>(farthest - at), "an element"));
      elements.push_back(at);
    }
  }
}

template <class T>
T fixed(std::span<const std::byte> at) {
  T result = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) result |= static_cast<T>(static_cast<T>(at[i]) << (8 * i));
  return result;
}

// A file's bytes, mapped: a recording of hundreds of megabytes is read once, not copied first.
bool begins_as_trace(const RegularFile& file) {
  std::string head(file_magic.size(), '\0');
  return pread(file.descriptor(), head.data(), head.size(), 0) == std::ssize(head) && head == file_magic;
}

class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const RegularFile file(path, most_trace_bytes, "give a file that `tilescope trace KERNEL -o FILE` made");
    const auto size = static_cast<std::size_t>(file.bytes());
    const int at_once = begins_as_trace(file) ? MAP_POPULATE : 0;
    void* at = size ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE | at_once, file.descriptor(), 0) : nullptr;
    if (at == MAP_FAILED)
      throw Error("\"" + path + "\" cannot be read: " + std::strerror(errno), "copy it to another disk");
    bytes_ = {static_cast<const std::byte*>(at), size};
  }
  MappedFile(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

RecordedTrace read(std::span<const std::byte> bytes) {
  const auto cut_short = [&]() -> Error {
    return Error("the trace is cut short at byte " + std::to_string(bytes.size()), "copy or record it again");
  };
  const auto begins = [&](std::size_t n) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), std::min(n, bytes.size())) ==
           file_magic.substr(0, std::min(n, bytes.size()));
  };
  if (bytes.empty() || !begins(file_magic.size()))
    throw Error("not a tilescope trace", "`tilescope trace KERNEL -o FILE` makes one");
  if (bytes.size() < 12) throw cut_short();
  const auto version = fixed<std::uint32_t>(bytes.subspan(8, 4));
  if (version == 0) throw Error("the trace is damaged near byte 8: version 0", "record it again");
  if (version > file_version)
    throw Error("the trace was made by a newer version (format " + std::to_string(version) +
                    ", this program reads up to " + std::to_string(file_version) + ")",
                "update tilescope, or record it again");
  RecordedTrace trace;
  std::size_t at = 12;
  bool has_files = false;
  std::vector<std::string> ops;
  if (version < 3) {
    std::istringstream names(ops_of_format_2);
    for (std::string name; names >> name;) ops.push_back(name);
  }
  while (true) {
    if (bytes.size() - at < 12) throw cut_short();
    const std::span<const std::byte> head = bytes.subspan(at, 4);
    const std::string_view tag(reinterpret_cast<const char*>(head.data()), 4);
    const auto length = fixed<std::uint64_t>(bytes.subspan(at + 4, 8));
    if (length > bytes.size() - at - 12 || bytes.size() - at - 12 - length < 4) throw cut_short();
    const std::span<const std::byte> payload = bytes.subspan(at + 12, static_cast<std::size_t>(length));
    ByteReader r(payload, at + 12);
    const std::size_t next = at + 12 + static_cast<std::size_t>(length) + 4;
    if (fixed<std::uint32_t>(bytes.subspan(next - 4, 4)) != crc32(payload, crc32(head)))
      r.damaged("the checksum of its part " + std::string(tag) + " does not fit");
    if (tag == "FILE") {
      if (has_files) r.damaged("a second list of files");
      has_files = true;
      for (std::size_t n = r.count(1, "files"); n-- > 0;) trace.files.push_back(r.text("a file's name"));
    } else if (tag == "OPSN") {
      if (!ops.empty()) r.damaged("a second list of ops");
      for (std::size_t n = r.count(1, "ops"); n-- > 0;) ops.push_back(r.text("an op's name"));
    } else if (tag == "SRCT") {
      SourceText s;
      s.file = r.text("a file's name");
      s.text = r.text("a kernel's text");
      trace.sources.push_back(std::move(s));
    } else if (tag == "LNCH") {
      launch(r, trace);
    } else if (tag == "PROG") {
      program(r, trace, ops, version);
    } else if (tag == "NOTE") {
      trace.notes.push_back(r.text("a note"));
    } else if (tag == "WRNG") {
      wrong_elements(r, trace);
    } else if (tag == "ENDT") {
      if (r.number() != trace.programs.size()) r.damaged("programs are missing");
      if (next != bytes.size())
        throw Error("the trace is followed by " + std::to_string(bytes.size() - next) + " foreign bytes at byte " +
                        std::to_string(next),
                    "copy or record it again");
      return trace;
    } else {
      r.damaged("a part of unknown kind");
    }
    if (r.left() != 0) r.damaged(std::to_string(r.left()) + " bytes too many in part " + std::string(tag));
    at = next;
  }
}

RecordedTrace load(const std::string& path) {
  const MappedFile file(path);
  try {
    return read(file.bytes());
  } catch (const Error& e) {
    throw Error(path + ": " + e.what(), e.fix);
  }
}

bool looks_like_trace(const std::string& path) {
  try {
    return begins_as_trace(RegularFile(path, most_trace_bytes));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace tl::trace
