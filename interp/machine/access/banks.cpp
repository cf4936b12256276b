#include "interp/machine/access/banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

namespace tl::machine {

namespace {

int phases_of(int bytes) { return bytes <= bank_bytes ? 1 : bytes / bank_bytes; }

// The different words of each bank in one phase, in the order of lanes.
std::vector<std::vector<std::int64_t>> words_by_bank(const Request& r, int phase) {
  const int lanes = 32 / phases_of(r.bytes);
  std::vector<std::vector<std::int64_t>> banks(bank_count);
  for (int lane = phase * lanes; lane < (phase + 1) * lanes; ++lane) {
    if (!(r.active >> lane & 1)) continue;
    const std::int64_t first = r.address[lane] / bank_bytes;
    for (std::int64_t word = first; word * bank_bytes < r.address[lane] + r.bytes; ++word) {
      auto& bank = banks[word % bank_count];
      if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
    }
  }
  return banks;
}

}  // namespace

Wavefronts& Wavefronts::operator+=(const Wavefronts& o) {
  requests += o.requests;
  wavefronts += o.wavefronts;
  minimum += o.minimum;
  return *this;
}

Wavefronts wavefronts_of(const Request& r) {
  Wavefronts w{.requests = 1};
  for (int phase = 0; phase < phases_of(r.bytes); ++phase) {
    std::size_t most = 0, all = 0;
    for (const auto& bank : words_by_bank(r, phase)) {
      most = std::max(most, bank.size());
      all += bank.size();
    }
    w.wavefronts += static_cast<std::int64_t>(most);
    w.minimum += static_cast<std::int64_t>((all + bank_count - 1) / bank_count);
  }
  return w;
}

const char* name_of(Placement p) {
  switch (p) {
    case Placement::none: return "none";
    case Placement::padded: return "padded";
    case Placement::xored: return "xor";
  }
  return "?";
}

Placement placement_named(const std::string& name) {
  return name == "none" ? Placement::none : name == "padded" ? Placement::padded : Placement::xored;
}

bool BankedTile::can_be_xored() const { return std::has_single_bit(static_cast<unsigned>(row_bytes())); }

int BankedTile::offset(int row, int col) const {
  const int byte = col * element_bytes;
  if (placement != Placement::xored) return row * pitch_bytes() + byte;
  // Rows shorter than all the banks together change their pattern only when a new line of banks begins.
  const int chunk = std::max(access_bytes, bank_bytes), chunks = std::max(1, row_bytes() / chunk);
  const int lines = std::max(1, bank_count * bank_bytes / row_bytes());
  const int mask = std::min(chunks, bank_count * bank_bytes / chunk) - 1;
  return row * row_bytes() + ((byte / chunk) ^ (row / lines & mask)) * chunk + byte % chunk;
}

std::vector<Request> requests_of(const BankedTile& t, Direction direction) {
  const int per_lane = std::max(1, t.access_bytes / t.element_bytes), steps = std::max(1, t.cols / per_lane);
  std::vector<Request> all;
  for (int first = 0; first < t.rows * steps; first += 32) {
    Request r;
    r.bytes = std::min(t.access_bytes, t.row_bytes());
    for (int lane = 0; lane < 32 && first + lane < t.rows * steps; ++lane) {
      const int n = first + lane;
      const int row = direction == Direction::along_rows ? n / steps : n % t.rows;
      const int step = direction == Direction::along_rows ? n % steps : n / t.rows;
      r.active |= 1u << lane;
      r.address[lane] = t.offset(row, step * per_lane);
    }
    all.push_back(r);
  }
  return all;
}

Wavefronts wavefronts_of(const BankedTile& tile, Direction direction) {
  Wavefronts sum;
  for (const Request& r : requests_of(tile, direction)) sum += wavefronts_of(r);
  return sum;
}

int BankPicture::height() const {
  std::size_t most = 0;
  for (const Bank& b : banks) most = std::max(most, b.lanes.size());
  return static_cast<int>(most);
}

std::vector<BankPicture> pictures_of(const Request& r) {
  std::vector<BankPicture> all;
  const int phases = phases_of(r.bytes), lanes = 32 / phases;
  for (int phase = 0; phase < phases; ++phase) {
    BankPicture p{.phase = phase, .phases = phases, .banks = std::vector<BankPicture::Bank>(bank_count)};
    const auto banks = words_by_bank(r, phase);
    for (std::size_t b = 0; b < banks.size(); ++b)
      for (const std::int64_t word : banks[b])
        for (int lane = phase * lanes; lane < (phase + 1) * lanes; ++lane) {
          const std::int64_t from = r.address[lane];
          if ((r.active >> lane & 1) && word * bank_bytes >= from / bank_bytes * bank_bytes &&
              word * bank_bytes < from + r.bytes) {
            p.banks[b].lanes.push_back(lane);
            break;
          }
        }
    all.push_back(std::move(p));
  }
  return all;
}

// Two columns a bank, so that 80 hold them all: lanes 0 to 31 as one letter each.
std::string text_of(const BankPicture& p, int most_rows) {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuv";
  std::string text = fmt::format("  {:>8}  ", "bank");
  for (int b = 0; b < bank_count; ++b) text += fmt::format("{:<2}", b % 4 ? "" : std::to_string(b));
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  const int rows = p.height();
  for (int row = 0; row < rows; ++row) {
    if (row == most_rows - 1 && rows > most_rows) {
      text += fmt::format("  {:>8}  {} more passes like these\n", "...", rows - row);
      break;
    }
    text += fmt::format("  {:>8}  ", row == 0 ? "pass 1" : std::to_string(row + 1));
    for (const BankPicture::Bank& bank : p.banks)
      text += fmt::format("{} ", row < static_cast<int>(bank.lanes.size()) ? letters[bank.lanes[row]] : '.');
    text.back() = '\n';
  }
  return text;
}

}  // namespace tl::machine
