#include "interp/hostcc/confinement.h"

#include <csignal>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace tl::hostcc {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !(defined(__x86_64__) || defined(__aarch64__))

void confine(void (*)(const char*)) {}

#else

namespace {

#ifdef __x86_64__
constexpr unsigned arch = AUDIT_ARCH_X86_64;
#else
constexpr unsigned arch = AUDIT_ARCH_AARCH64;
#endif

constexpr long processes[] = {
    SYS_execve, SYS_execveat, SYS_kill, SYS_tkill, SYS_ptrace,
#ifdef __x86_64__
    SYS_fork,   SYS_vfork,
#endif
};
constexpr long sockets[] = {SYS_socket, SYS_socketpair};
constexpr long files[] = {
    SYS_unlinkat, SYS_renameat2, SYS_mkdirat,  SYS_linkat, SYS_symlinkat, SYS_mknodat,
    SYS_truncate, SYS_fchmodat,  SYS_fchownat, SYS_mount,  SYS_openat2,
#ifdef __x86_64__
    SYS_unlink,   SYS_rename,    SYS_renameat, SYS_mkdir,  SYS_rmdir,     SYS_link,
    SYS_symlink,  SYS_mknod,     SYS_chmod,    SYS_chown,  SYS_lchown,    SYS_creat,
#endif
};

void (*tell_parent)(const char*) = nullptr;

bool holds(const auto& calls, long call) {
  for (const long c : calls)
    if (c == call) return true;
  return false;
}

void on_refusal(int, siginfo_t* info, void*) {
  const long call = info->si_syscall;
  const bool is_process = holds(processes, call) || call == SYS_clone;
  tell_parent(is_process ? "starts another process" : holds(sockets, call) ? "opens a socket" : "writes a file");
  _exit(1);
}

class Filter {
 public:
  Filter() {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  }
  void refuse(long call) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  }
  void fail(long call, unsigned error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
  }
  // Where one of these bits of the argument is set, or (`none`) where none is.
  void refuse_flags(long call, unsigned argument, unsigned bits, bool none) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, args) + argument * sizeof(__u64)));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, none ? 1 : 0, none ? 0 : 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  void install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    sock_fprog program{static_cast<unsigned short>(lines_.size()), lines_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  }

 private:
  void add(unsigned code, unsigned k, unsigned if_so = 0, unsigned if_not = 0) {
    lines_.push_back({static_cast<__u16>(code), static_cast<__u8>(if_so), static_cast<__u8>(if_not), k});
  }
  std::vector<sock_filter> lines_;
};

}  // namespace

void confine(void (*tell)(const char* what)) {
  tell_parent = tell;
  struct sigaction action{};
  action.sa_sigaction = on_refusal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  Filter filter;
  for (const long c : processes) filter.refuse(c);
  for (const long c : sockets) filter.refuse(c);
  for (const long c : files) filter.refuse(c);
  constexpr unsigned writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  filter.refuse_flags(SYS_openat, 2, writes, false);
#ifdef __x86_64__
  filter.refuse_flags(SYS_open, 1, writes, false);
#endif
  filter.fail(SYS_clone3, ENOSYS);  // its flags cannot be looked at: the C library takes clone then
  filter.refuse_flags(SYS_clone, 0, CLONE_THREAD, true);
  filter.install();
}

#endif

}  // namespace tl::hostcc
