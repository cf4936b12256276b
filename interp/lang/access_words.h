// The words of an access's options, spelled as in Triton. An unknown word does not compile, and the name in the
// compiler's message lists the known ones. Text that is not compiled calls `set`: false for an unknown word. Free of
// std.
#pragma once

namespace tl {

namespace detail {

// Called for an unknown word: not constexpr, so that the word does not compile.
inline void an_eviction_policy_is_evict_first_or_evict_last() {}
inline void a_cache_modifier_is_ca_cg_cs_cv_wb_or_wt() {}
inline void a_sem_is_relaxed_acquire_release_or_acq_rel() {}
inline void a_scope_is_gpu_cta_or_sys() {}

constexpr bool same_word(const char* a, const char* b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}

}  // namespace detail

// How long a line of L2 is to stay: a hint, which changes no value.
enum class Eviction : unsigned char { normal, first, last };
struct EvictionPolicy {
  Eviction value = Eviction::normal;
  constexpr EvictionPolicy() = default;
  consteval EvictionPolicy(const char* word) {
    if (!set(word)) detail::an_eviction_policy_is_evict_first_or_evict_last();
  }
  constexpr bool set(const char* word) {
    if (detail::same_word(word, "evict_first")) value = Eviction::first;
    else if (detail::same_word(word, "evict_last")) value = Eviction::last;
    else return !*word || detail::same_word(word, "evict_normal");
    return true;
  }
};

// PTX's cache operators. Loads: .ca (all levels), .cg (L2), .cs (once), .cv (anew); stores: .wb, .cg, .cs, .wt.
enum class CacheOperator : unsigned char { standard, ca, cg, cs, cv, wb, wt };
struct CacheModifier {
  CacheOperator value = CacheOperator::standard;
  constexpr CacheModifier() = default;
  consteval CacheModifier(const char* word) {
    if (!set(word)) detail::a_cache_modifier_is_ca_cg_cs_cv_wb_or_wt();
  }
  constexpr bool set(const char* word) {
    if (detail::same_word(word, ".ca")) value = CacheOperator::ca;
    else if (detail::same_word(word, ".cg")) value = CacheOperator::cg;
    else if (detail::same_word(word, ".cs")) value = CacheOperator::cs;
    else if (detail::same_word(word, ".cv")) value = CacheOperator::cv;
    else if (detail::same_word(word, ".wb")) value = CacheOperator::wb;
    else if (detail::same_word(word, ".wt")) value = CacheOperator::wt;
    else return !*word;
    return true;
  }
};

// What an atomic orders: accesses of its program before it (release), after it (acquire).
enum class AtomicOrder : unsigned char { relaxed, acquire, release, acq_rel };
struct AtomicSem {
  AtomicOrder value = AtomicOrder::acq_rel;
  constexpr AtomicSem() = default;
  consteval AtomicSem(const char* word) {
    if (!set(word)) detail::a_sem_is_relaxed_acquire_release_or_acq_rel();
  }
  constexpr bool set(const char* word) {
    if (detail::same_word(word, "relaxed")) value = AtomicOrder::relaxed;
    else if (detail::same_word(word, "acquire")) value = AtomicOrder::acquire;
    else if (detail::same_word(word, "release")) value = AtomicOrder::release;
    else return !*word || detail::same_word(word, "acq_rel");
    return true;
  }
};

// The observers of that order: all programs of the GPU, the threads of one, or other GPUs and the host too.
enum class AtomicReach : unsigned char { gpu, cta, sys };
struct AtomicScope {
  AtomicReach value = AtomicReach::gpu;
  constexpr AtomicScope() = default;
  consteval AtomicScope(const char* word) {
    if (!set(word)) detail::a_scope_is_gpu_cta_or_sys();
  }
  constexpr bool set(const char* word) {
    if (detail::same_word(word, "cta")) value = AtomicReach::cta;
    else if (detail::same_word(word, "sys")) value = AtomicReach::sys;
    else return !*word || detail::same_word(word, "gpu");
    return true;
  }
};

}  // namespace tl
