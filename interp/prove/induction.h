// A loop that a Follower follows, and its variables.
#pragma once

#include <fmt/format.h>

#include "interp/prove/follower.h"

namespace tl::prove {

using cpu::Value;

inline std::string place_of(const Site& s) { return fmt::format("line {}", s.line); }

// Three turns of a loop are followed: from the first two follows by how much each variable moves in a turn; the third
// is run with a turn k of which only 0 <= k < turns is known, and must move the variables on by the same: so do all.
class Follower::Induction final : public cpu::Loop {
 public:
  Induction(Follower& of, const Site& site, RangeBounds bounds, long long lo, long long step, long long turns)
      : of_(of), site_(site), bounds_(std::move(bounds)), lo_(lo), step_(step), turns_(turns) {
    name_ =
        of_.turn_names_.try_emplace({site.line, site.column}, fmt::format("k{}", of_.turn_names_.size())).first->second;
    if (is_followed()) of_.turns[name_] = {*bounds_.lo.number, *bounds_.hi.number, step};
    else if (!is_fixed()) of_.gaps.insert(fmt::format("the range at {} is no formula", place_of(site)));
    if (is_followed() && turns < 3)
      of_.gaps.insert(fmt::format("the loop at {} turns only {} times in this case: give it sizes with more turns",
                                  place_of(site), turns));
  }

  // Three turns, but where it always has one or two.
  bool is_fixed() const {
    return turns_ <= 2 && bounds_.lo.number && bounds_.hi.number && bounds_.step.number &&
           bounds_.lo.number->constant() && bounds_.hi.number->constant() && bounds_.step.number->constant();
  }
  bool is_followed() const {
    return !is_fixed() && bounds_.lo.number && bounds_.hi.number && bounds_.step.number &&
           bounds_.step.number->constant() && step_ > 0;
  }
  bool is_muted() const { return !is_fixed() && turn_ != 2; }

  Number index() const {
    if (is_fixed()) return Number(lo_ + turn_ * step_);
    const Number turn = turn_ < 2 ? Number(turn_) : Number::symbol(name_);
    return is_followed() ? *bounds_.lo.number + turn * Number(step_) : Number(lo_ + turn_ * step_);
  }
  bool knows_index() const { return is_fixed() || is_followed(); }

  long long next() override {
    ++turn_;
    const Number k = Number::symbol(name_);
    for (auto& [handle, v] : variables_) {
      if (is_fixed()) break;
      const Value* now = static_cast<const Value*>(handle->head());
      const Known known = of_.known(now);
      if (turn_ == 1) {
        v.moves = v.first && known.number;
        if (v.moves) v.step = *known.number - *v.first;
      } else if (turn_ == 2) {
        v.moves &= known.number.has_value();
        v.moves = v.moves && *known.number == *v.first + v.step + v.step;
        of_.learn(*now, v.moves ? Known{*v.first + k * v.step, {}, known.needs} : Known());
      } else if (turn_ == 3 && v.moves && !(known.number && *known.number == *v.first + (k + Number(1)) * v.step)) {
        of_.gaps.insert(fmt::format("a variable of the loop at {} moves unevenly", place_of(site_)));
      }
    }
    if (!is_fixed())
      for (auto& [variable, v] : tiles_) move(v, k);
    return lo_ + turn_ * step_;
  }

  void leave() override {
    if (turn_ < turns_) of_.gaps.insert(fmt::format("the loop at {} is left early", place_of(site_)));
    if (!is_fixed())
      for (auto& [handle, v] : variables_) of_.learn(*static_cast<const Value*>(handle->head()), Known());
    if (!is_fixed())
      for (auto& [variable, v] : tiles_) of_.tile_of(v.tile).offsets.clear();
    while (!of_.loops_.empty()) {
      const bool is_this = of_.loops_.back().get() == this;
      of_.ended_.push_back(std::move(of_.loops_.back()));
      of_.loops_.pop_back();
      if (is_this) break;
    }
  }

  void assigned(cpu::Handle& h, const Value* old) {
    if (old) variables_.try_emplace(&h, Variable{of_.known(old).number, {}, false});
  }
  void assigned(const void* variable, std::uint64_t old, std::uint64_t now) {
    tiles_.try_emplace(variable, TileVariable{now, offsets_of(old), {}, false}).first->second.tile = now;
  }
  void forgotten(const cpu::Handle& h) { variables_.erase(const_cast<cpu::Handle*>(&h)); }

 private:
  struct Variable {
    std::optional<Number> first;  // before the loop
    Number step;
    bool moves;
  };
  // A block pointer, of which the offsets move.
  struct TileVariable {
    std::uint64_t tile;
    std::vector<Number> first, step;  // an axis each; none: not known
    bool moves;
  };

  std::vector<Number> offsets_of(std::uint64_t tile) const {
    std::vector<Number> all;
    if (tile == 0) return all;
    for (const Known& k : of_.tile_of(tile).offsets)
      if (k.number) all.push_back(*k.number);
      else return {};
    return all;
  }
  void move(TileVariable& v, const Number& k) {
    const std::vector<Number> now = offsets_of(v.tile);
    const auto is_after = [&](const Number& turns) {
      bool same = now.size() == v.first.size() && v.step.size() == now.size();
      for (std::size_t i = 0; i < now.size() && same; ++i) same = now[i] == v.first[i] + turns * v.step[i];
      return same;
    };
    if (turn_ == 1) {
      v.moves = !v.first.empty() && now.size() == v.first.size();
      for (std::size_t i = 0; i < now.size() && v.moves; ++i) v.step.push_back(now[i] - v.first[i]);
    } else if (turn_ == 2) {
      v.moves = v.moves && is_after(Number(2));
      std::vector<Known>& offsets = of_.tile_of(v.tile).offsets;
      if (!v.moves) offsets.clear();
      for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i].number = v.first[i] + k * v.step[i];
    } else if (turn_ == 3 && v.moves && !is_after(k + Number(1))) {
      of_.gaps.insert(fmt::format("a block pointer of the loop at {} moves unevenly", place_of(site_)));
    }
  }

  Follower& of_;
  Site site_;
  RangeBounds bounds_;
  long long lo_, step_, turns_, turn_ = 0;
  std::string name_;
  std::map<cpu::Handle*, Variable> variables_;
  std::map<const void*, TileVariable> tiles_;
};

}  // namespace tl::prove
