// Names of variables, as a kernel's text declares them, told to the observer; C++ numbers are looked at before each op.
#include "interp/cpu/names.h"

#include <cstring>

#include "interp/cpu/state.h"

namespace tl::cpu {

int programs_with_names = 0;

namespace {

thread_local State* listening = nullptr;  // the program that this thread runs, if names are wanted of it

State* listener() { return listening && !listening->quiet ? listening : nullptr; }

// What a C++ number holds; nothing for one beyond int64.
bool read(NamedNumber& n) {
  long long integer = 0;
  if (n.kind == NumberKind::constant) {
    const auto& constant = *static_cast<const Constant*>(n.at);
    n.dtype = constant.is_bool ? DType::int1 : dtype_of_literal(LiteralKind::integer, constant.value);
    integer = constant.value;
  } else if (n.kind == NumberKind::float32 || n.kind == NumberKind::float64) {
    n.dtype = n.kind == NumberKind::float32 ? DType::float32 : DType::float64;
  } else {
    const bool is_signed = n.kind == NumberKind::integer;
    std::memcpy(&integer, n.at, static_cast<std::size_t>(n.bytes));  // little endian
    const int unused = 64 - 8 * n.bytes;
    if (is_signed) integer = static_cast<long long>(static_cast<unsigned long long>(integer) << unused) >> unused;
    n.dtype = n.kind == NumberKind::boolean ? DType::int1
              : n.bytes == 8                ? DType::int64
              : is_signed || n.bytes < 4    ? DType::int32
                                            : DType::uint32;
    if (!is_signed && integer < 0) return false;
  }
  std::byte now[8] = {};
  if (is_float(n.dtype)) std::memcpy(now, n.at, static_cast<std::size_t>(n.bytes));
  else std::memcpy(now, &integer, sizeof now);
  const bool is_new = n.id == 0 || std::memcmp(now, n.held, sizeof now) != 0;
  std::memcpy(n.held, now, sizeof now);
  return is_new;
}

void tell(State& s, NamedNumber& n) {
  if (!n.at || !read(n)) return;
  trace::Value v;
  v.id = n.id = ++s.last_id;
  v.dtype = n.dtype;
  v.dense = [](const void* number) { return static_cast<const NamedNumber*>(number)->held; };
  v.object = &n;
  s.launch.options.observer->number(n.at, v);
}

}  // namespace

void State::listen_for_names(bool wants) {
  numbers.clear();
  scopes.clear();
  if (wants == (listening == this)) return;
  listening = wants ? this : nullptr;
  __atomic_fetch_add(&programs_with_names, wants ? 1 : -1, __ATOMIC_RELAXED);
}

void State::tell_numbers() {
  for (NamedNumber& n : numbers) tell(*this, n);
}

bool Scope::begin(int line, int column, Location call, Location body) noexcept {
  State* const s = listener();
  if (!s) return false;
  s->scopes.push_back(s->numbers.size());
  s->launch.options.observer->scope_begins({body.site().file, line, column}, call.site());
  return true;
}

void Scope::end() noexcept {
  State* const s = listener();
  if (!s || s->scopes.empty()) return;
  s->launch.options.observer->scope_ends();
  for (; s->numbers.size() > s->scopes.back(); s->numbers.pop_back())
    if (s->numbers.back().at) s->launch.options.observer->forgotten(s->numbers.back().at);
  s->scopes.pop_back();
}

void tell_name(const char* name, const Handle* handle) noexcept {
  if (State* const s = listener()) s->launch.options.observer->named(name, handle);
}

void forget_number(const void* at) noexcept {
  State* const s = listener();
  if (!s) return;
  for (NamedNumber& n : s->numbers)
    if (n.at == at) {
      s->launch.options.observer->forgotten(at);
      n.at = nullptr;
    }
}

void tell_number(const char* name, const void* at, int bytes, NumberKind kind) noexcept {
  State* const s = listener();
  if (!s || s->scopes.empty()) return;
  NamedNumber* known = nullptr;  // by another name: a reference
  for (NamedNumber& n : s->numbers)
    if (n.at == at) known = &n;
  if (!known) known = &s->numbers.emplace_back(NamedNumber{at, bytes, kind});
  tell(*s, *known);
  s->launch.options.observer->named(name, at);
}

}  // namespace tl::cpu
