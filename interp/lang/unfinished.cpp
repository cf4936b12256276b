#include "interp/lang/unfinished.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "interp/lang/output_file.h"

namespace tl {

namespace {

// What a signal handler reads. A name is a number, so that it is never seen half written; 0: the slot is free.
struct Slot {
  std::atomic<std::uint64_t> number{0};
  std::atomic<int> folder{-1};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a signal handler reads them");
std::array<Slot, 64> slots;

void spell(std::uint64_t number, char* name) {
  constexpr char begin[] = ".tilescope-";
  std::memcpy(name, begin, sizeof begin - 1);
  name += sizeof begin - 1;
  for (int shift = 60; shift >= 0; shift -= 4) *name++ = "0123456789abcdef"[number >> shift & 15];
  *name = '\0';
}

void on_end(int signal_number) {
  remove_unfinished();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void handle_where_nobody_does(int signal_number, void (*handler)(int)) {
  struct sigaction now{};
  if (sigaction(signal_number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL) return;
  now.sa_handler = handler;
  sigaction(signal_number, &now, nullptr);
}

void remove_content(int folder, int depth) {
  struct Entry {  // as the kernel writes it; readdir takes memory
    std::uint64_t inode, offset;
    std::uint16_t size;
    std::uint8_t type;
    char name[1];
  };
  alignas(Entry) char entries[2048];
  for (bool again = true; again;) {
    again = false;
    lseek(folder, 0, SEEK_SET);
    for (long n; (n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
      for (long at = 0; at < n;) {
        const auto* e = reinterpret_cast<const Entry*>(entries + at);
        at += e->size;
        if (std::strcmp(e->name, ".") == 0 || std::strcmp(e->name, "..") == 0) continue;
        if (unlinkat(folder, e->name, 0) == 0) {
          again = true;
          continue;
        }
        const int inner = depth > 0 ? openat(folder, e->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (inner < 0) continue;
        remove_content(inner, depth - 1);
        close(inner);
        again |= unlinkat(folder, e->name, AT_REMOVEDIR) == 0;
      }
  }
}

}  // namespace

Unfinished::Unfinished(const std::filesystem::path& folder) {
  for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle_where_nobody_does(s, on_end);
  handle_where_nobody_does(SIGXFSZ, [](int) {});  // then the write fails, and says why
  folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0 && errno == EACCES) folder_ = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) throw not_written('"' + folder.string() + '"', errno);
  std::uint64_t number = 0;
  while (number == 0)
    if (getrandom(&number, sizeof number, 0) != sizeof number) number = 0;
  spell(number, name_);
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    int free = -1;
    if (!slots[i].folder.compare_exchange_strong(free, folder_)) continue;
    slots[i].number = number;
    slot_ = static_cast<int>(i);
  }
}

Unfinished::~Unfinished() {
  if (!is_kept_) remove_entry(folder_, name_);
  if (slot_ >= 0) {
    Slot& slot = slots[slot_];
    slot.number = 0;
    slot.folder = -1;
  }
  close(folder_);
}

void remove_unfinished() {
  const int before = errno;
  for (const Slot& slot : slots)
    if (const std::uint64_t number = slot.number; number != 0) {
      char name[32];
      spell(number, name);
      remove_entry(slot.folder, name);
    }
  errno = before;
}

void remove_entry(int folder, const char* name) {
  if (unlinkat(folder, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
  const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return;
  remove_content(inner, 16);
  close(inner);
  unlinkat(folder, name, AT_REMOVEDIR);
}

namespace {

std::filesystem::path folder_for_a_while() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) throw Error("TMPDIR names no folder", "set it to a folder of yours, or unset it");
  return folder;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : entry_(folder_for_a_while()), path_(folder_for_a_while() / entry_.name()) {
  if (mkdirat(entry_.folder(), entry_.name(), 0700) != 0)
    throw OutputError("no folder can be made in " + path_.parent_path().string() + ": " + std::strerror(errno),
                      "make room there, or set TMPDIR to a folder of yours");
}

}  // namespace tl
