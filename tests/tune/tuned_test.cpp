// Winners kept on disk.
#include "interp/tune/tuned.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "interp/tune/use_tuned.h"
#include "tests/tune/spaces.h"

using namespace tl::tune;
namespace fs = std::filesystem;

namespace {

Winner winner_of_block(const std::string& block) {
  return {.kernel = "add",
          .key = "",
          .machine = "here",
          .date = "",
          .device = Device::cpu,
          .key_names = {},
          .config = {{"block", block}},
          .ms = 1.5,
          .configs = 3,
          .measured = 2};
}

Space space(const std::string& n, const std::string& configs = "block=64,128") {
  return space_of(request_of("add", {"n=" + n}, configs));
}

}  // namespace

TEST_CASE("a winner is found for the same sizes, device, machine and configs, and for no others") {
  const OwnCache cache;
  keep_winner(space("1000"), winner_of_block("64"));
  REQUIRE(kept_winner(space("1000"), Device::cpu, "here"));
  CHECK(kept_winner(space("1000"), Device::cpu, "here")->config == tl::problems::Config{{"block", "64"}});
  CHECK_FALSE(kept_winner(space("1001"), Device::cpu, "here"));
  CHECK_FALSE(kept_winner(space("1000"), Device::model, "here"));
  CHECK_FALSE(kept_winner(space("1000"), Device::cpu, "there"));
  CHECK_FALSE(kept_winner(space("1000", "block=64,128,256"), Device::cpu, "here"));
}

TEST_CASE("--tuned takes the latest winner, whatever it was chosen among") {
  const OwnCache cache;
  keep_winner(space("1000"), winner_of_block("128"));
  const auto latest = latest_winner({.kernel = "add", .settings = {"n=1000"}}, Device::cpu, "here");
  REQUIRE(latest);
  CHECK(latest->config == tl::problems::Config{{"block", "128"}});
  CHECK_FALSE(latest_winner({.kernel = "add", .settings = {"n=1001"}}, Device::cpu, "here"));
  CHECK_FALSE(latest_winner({.kernel = "add", .settings = {"n=1000", "block=64"}}, Device::cpu, "here"));
}

TEST_CASE("where nothing is kept the model chooses") {
  const OwnCache cache;
  const TunedWords words = tuned_words({.kernel = "add", .settings = {"n=5000"}}, Device::cpu);
  CHECK(words.settings.front() == "n=5000");
  CHECK(words.settings.size() == 3);
  CHECK(words.told.find("by the model of h200") != std::string::npos);
}

TEST_CASE("a damaged entry and a foreign file count as absent") {
  const OwnCache cache;
  keep_winner(space("1000"), winner_of_block("64"));
  const fs::path shelf = cache.folder.path() / "tilescope/tuned";
  std::ofstream(fs::directory_iterator(shelf)->path(), std::ios::app) << "x";
  std::ofstream(shelf / "notes.txt") << "not ours";
  CHECK_FALSE(kept_winner(space("1000"), Device::cpu, "here"));
  CHECK(kept_winners().empty());
}

TEST_CASE("winners are listed, and forgotten by kernel") {
  const OwnCache cache;
  keep_winner(space("1000"), winner_of_block("64"));
  keep_winner(space("2000"), winner_of_block("128"));
  CHECK(kept_winners().size() == 2);
  CHECK(forget_winners("softmax") == 0);
  CHECK(forget_winners("add") == 2);
  CHECK(kept_winners().empty());
}
