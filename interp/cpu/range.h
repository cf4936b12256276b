// tl.range: what a kernel's loops go through.
#pragma once

#include "interp/cpu/block.h"

namespace tl::cpu {

class Loop;  // a range under way in an address run, interp/cpu/loop.h

// lo, lo + step, ... below hi. Each value is a recorded scalar.
class Range {
 public:
  struct End {};
  class Iterator {
   public:
    Block operator*() const { return range->value(i, loop); }
    Iterator& operator++() {
      i += range->step;
      if (loop) [[unlikely]]
        i = next(*loop);
      return *this;
    }
    bool operator!=(End) const { return range->step > 0 ? i < range->hi : i > range->hi; }
    Iterator(const Iterator&) = delete;
    ~Iterator() {
      if (loop) [[unlikely]]
        leave(*loop);
    }

   private:
    friend class Range;
    Iterator(const Range* range, Loop* loop) : range(range), i(range->lo), loop(loop) {}
    static long long next(Loop&);
    static void leave(Loop&);
    const Range* range;
    long long i;
    Loop* loop;  // null, but in an address run, which skips iterations
  };
  Iterator begin() const { return {this, enter()}; }
  End end() const { return {}; }

 private:
  friend class Context;
  Range() = default;
  Block value(long long i, Loop*) const;
  Loop* enter() const;
  Context* context = nullptr;
  Location location = {};
  DType dtype = DType::int32;
  long long lo = 0, hi = 0, step = 1;
  int num_stages = 0;
  struct Source {  // where lo and step come from, for an observer: a literal, or a value's id
    bool is_constant = false;
    unsigned long long id = 0;
  } lo_source, step_source;
};

}  // namespace tl::cpu
