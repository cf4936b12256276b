// An executor for tests: programs written as a list of events, on a kernel text given as a string.
#pragma once

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "interp/trace/recorder.h"

namespace fake {

using tl::DType;
using tl::trace::Op;

struct Value {
  tl::trace::ValueId id = 0;
  DType dtype = DType::int32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  int tensor = -1;

  tl::trace::Value seen() const {
    tl::trace::Value v;
    v.id = id;
    v.dtype = dtype;
    v.tensor = tensor;
    v.shape = shape;
    v.dense = [](const void* object) { return static_cast<const Value*>(object)->bytes.data(); };
    v.object = this;
    return v;
  }
};

// Ops find their place by a word of the text: `at("tl.load")` is its first occurrence at or after the last place.
class Run {
 public:
  Run(std::string kernel, std::string text, tl::trace::RecorderOptions options = {})
      : text_(std::move(text)), recorder_([&] {
          options.load_source = [this](const std::string&) { return text_; };
          return options;
        }()) {
    info_.kernel = std::move(kernel);
    info_.source = "kernel.h";
  }

  void add_tensor(const std::string& name, std::vector<float> data) {
    memory_.push_back(std::move(data));
    const auto n = static_cast<std::int64_t>(memory_.back().size());
    info_.tensors.push_back(
        {name, DType::float32, {n}, {1}, n, reinterpret_cast<const std::byte*>(memory_.back().data())});
  }
  tl::trace::LaunchInfo& info() { return info_; }
  std::vector<float>& memory(std::size_t tensor) { return memory_[tensor]; }

  void begin(std::int64_t x) {
    if (!has_begun_) recorder_.launch_begins(info_);
    has_begun_ = true;
    last_id_ = 0;
    at_ = 0;
    recorder_.program_begins({x, 0, 0});
  }
  void end(std::int64_t x) { recorder_.program_ends({x, 0, 0}); }

  template <class T>
  Value make(DType dtype, std::vector<T> data, std::vector<std::int64_t> shape, int tensor = -1) {
    Value v{++last_id_, dtype, std::move(shape), {}, tensor};
    v.bytes.resize(data.size() * sizeof(T));
    std::memcpy(v.bytes.data(), data.data(), v.bytes.size());
    return v;
  }
  Value ints(std::vector<std::int32_t> data) {
    const auto n = static_cast<std::int64_t>(data.size());
    return make(DType::int32, std::move(data), {n});
  }
  Value number(std::int32_t value) { return make<std::int32_t>(DType::int32, {value}, {}); }
  Value floats(std::vector<float> data) {
    const auto n = static_cast<std::int64_t>(data.size());
    return make(DType::float32, std::move(data), {n});
  }
  Value bools(std::vector<unsigned char> data) {
    const auto n = static_cast<std::int64_t>(data.size());
    return make(DType::int1, std::move(data), {n});
  }

  // The place of the next op: where `word` begins, from the last place on (from the start again with `again`).
  Run& at(const std::string& word, bool again = false) {
    at_ = text_.find(word, again ? 0 : at_);
    site_ = {"kernel.h", 1, 1};
    for (std::size_t i = 0; i < at_; ++i) {
      ++site_.column;
      if (text_[i] == '\n') {
        ++site_.line;
        site_.column = 1;
      }
    }
    return *this;
  }
  void op(Op op, const std::vector<const Value*>& operands, const std::vector<const Value*>& results,
          const tl::trace::Access* access = nullptr) {
    std::vector<tl::trace::Value> in, out;
    for (const Value* v : operands) in.push_back(v->seen());
    for (const Value* v : results) out.push_back(v->seen());
    recorder_.op({op, site_, in, out, access, {}});
  }
  void load(int tensor, std::vector<std::int64_t> offsets, std::vector<unsigned char> mask, const Value& result) {
    touch(Op::load, tl::trace::AccessKind::load, tensor, offsets, mask, {}, {&result});
  }
  void store(int tensor, std::vector<std::int64_t> offsets, std::vector<unsigned char> mask,
             const std::vector<float>& values) {
    recorder_.before_write(access_of(tl::trace::AccessKind::store, tensor, offsets, mask));
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (mask.empty() || mask[i])
        memory_[static_cast<std::size_t>(tensor)][static_cast<std::size_t>(offsets[i])] = values[i];
    touch(Op::store, tl::trace::AccessKind::store, tensor, offsets, mask, {}, {});
  }
  void assign(int variable, const Value& v) { recorder_.assigned(address(variable), v.id); }
  void name(int variable, const char* name) { recorder_.named(name, address(variable)); }
  void forget(int variable) { recorder_.forgotten(address(variable)); }
  void fault(tl::Fault f) {
    f.site = site_;
    recorder_.fault(f);
  }

  tl::trace::RecordedTrace take() {
    recorder_.launch_ends();
    return recorder_.take();
  }

 private:
  static const void* address(int variable) {
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(0x1000 + variable));
  }
  void touch(Op op_kind, tl::trace::AccessKind kind, int tensor, const std::vector<std::int64_t>& offsets,
             const std::vector<unsigned char>& mask, const std::vector<const Value*>& operands,
             const std::vector<const Value*>& results) {
    const tl::trace::Access access = access_of(kind, tensor, offsets, mask);
    op(op_kind, operands, results, &access);
  }
  static tl::trace::Access access_of(tl::trace::AccessKind kind, int tensor, const std::vector<std::int64_t>& offsets,
                                     const std::vector<unsigned char>& mask) {
    tl::trace::Access access;
    access.kind = kind;
    access.tensor = tensor;
    access.is_tile = false;
    access.shape.rank = 1;
    access.shape[0] = static_cast<std::int64_t>(offsets.size());
    access.offsets = offsets.data();
    access.mask = mask.empty() ? nullptr : mask.data();
    return access;
  }

  std::string text_;
  tl::trace::LaunchInfo info_;
  std::deque<std::vector<float>> memory_;
  tl::trace::Recorder recorder_;
  tl::trace::ValueId last_id_ = 0;
  bool has_begun_ = false;
  std::size_t at_ = 0;
  tl::Site site_;
};

inline const char* const copy_wrong_text = R"(struct copy_wrong_offsets_kernel {
  void operator()(auto& tl, ptr auto x_ptr, ptr auto z_ptr, int_ auto n, constexpr_ auto bs) const {
    auto pid = tl.program_id(0);
    auto offs = tl.arange(0, bs);
    auto mask = offs < n;
    auto x = tl.load(x_ptr + offs, {.mask = mask});
    tl.store(z_ptr + offs, x, {.mask = mask});
  }
};
)";

// The lecture's wrong copy: n = 6, block = 2, three programs that all copy the first two elements.
inline tl::trace::RecordedTrace wrong_copy(tl::trace::RecorderOptions options = {}) {
  Run run("tl::kernels::copy_wrong_offsets_kernel", copy_wrong_text, std::move(options));
  run.add_tensor("x", {1, 2, 3, 4, 5, 6});
  run.add_tensor("z", {0, 0, 0, 0, 0, 0});
  run.info().grid[0] = 3;
  run.info().arguments = {"x", "z", "6", "2"};
  for (int p = 0; p < 3; ++p) {
    run.begin(p);
    const Value pid = run.number(p);
    run.at("tl.program_id").op(Op::program_id, {}, {&pid});
    run.assign(0, pid);
    run.name(0, "pid");
    const Value offs = run.ints({0, 1});
    run.at("tl.arange").op(Op::arange, {}, {&offs});
    run.assign(1, offs);
    run.name(1, "offs");
    const Value mask = run.bools({1, 1});
    run.at("offs < n").op(Op::lt, {&offs}, {&mask});
    run.assign(2, mask);
    run.name(2, "mask");
    const Value xp = run.make<std::int64_t>(DType::int64, {0, 1}, {2}, 0);
    run.at("x_ptr + offs").op(Op::add, {&offs}, {&xp});
    run.assign(3, xp);
    const Value x = run.floats({1, 2});
    run.at("tl.load", true).load(0, {0, 1}, {1, 1}, x);
    run.assign(4, x);
    run.name(4, "x");
    run.forget(3);
    const Value zp = run.make<std::int64_t>(DType::int64, {0, 1}, {2}, 1);
    run.at("z_ptr + offs").op(Op::add, {&offs}, {&zp});
    run.assign(3, zp);
    run.at("tl.store", true).store(1, {0, 1}, {1, 1}, {1, 2});
    run.forget(3);
    for (int v : {4, 2, 1, 0}) run.forget(v);
    run.end(p);
  }
  return run.take();
}

}  // namespace fake
