#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

#define AF_VSOCK_FAMILY 40
#define AF_ALG_FAMILY 38
#define NAMESPACES \
  {"user namespace", CLONE_NEWUSER}, {"mount namespace", CLONE_NEWNS}, {"network namespace", CLONE_NEWNET}, \
      {"process namespace", CLONE_NEWPID}, {"user and mount namespace", CLONE_NEWUSER | CLONE_NEWNS}

/* A call that must fail; a descriptor that it returns is closed with this process. */
static void must_fail(const char *name, long result) {
  if (result >= 0) got("%s was allowed", name);
}

static void namespaces(void) {
  static const struct {
    const char *name;
    int flags;
  } all[] = {NAMESPACES};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    must_fail(all[i].name, unshare(all[i].flags));
    long child = syscall(SYS_clone, (unsigned long)(all[i].flags | SIGCHLD), 0, 0, 0, 0);
    if (child == 0) _exit(0);
    must_fail(all[i].name, child);
    uint64_t arguments[11] = {(uint64_t)all[i].flags, 0, 0, 0, SIGCHLD};
    child = syscall(435 /* clone3 */, arguments, 64UL);
    if (child == 0) _exit(0);
    must_fail(all[i].name, child);
  }
}

static void mounting(void) {
  must_fail("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0UL, ""));
  must_fail("bind mount", syscall(SYS_mount, "/", "/tmp", "", 4096UL, NULL));
  must_fail("umount", syscall(SYS_umount2, "/tmp", 2));
  must_fail("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
  must_fail("fsopen", syscall(430, "tmpfs", 0));
  must_fail("open_tree", syscall(428, AT_FDCWD, "/", 1));
}

static void kernel_objects(void) {
  uint64_t attributes[16] = {1 | 4ULL << 32, 4 | 1ULL << 32};
  unsigned char parameters[120] = {0};
  unsigned long context = 0;
  struct perf_event_attr event = {
      .type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
  must_fail("bpf", syscall(SYS_bpf, 0, attributes, (unsigned)sizeof attributes));
  must_fail("io_uring_setup", syscall(425, 1U, parameters));
  must_fail("io_setup", syscall(SYS_io_setup, 1U, &context));
  must_fail("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1));
  must_fail("perf_event_open", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0UL));
  must_fail("fanotify_init", syscall(SYS_fanotify_init, 0x200U, 0U));
  must_fail("add_key", syscall(SYS_add_key, "user", "isopod-canary", "x", 1UL, -4));
  must_fail("keyctl", syscall(SYS_keyctl, 0, -4, 1));
  must_fail("request_key", syscall(SYS_request_key, "user", "isopod-canary", NULL, -4));
}

static void other_processes(void) {
  char here = 'x', there = 'y';
  struct iovec to = {&here, 1}, from = {&there, 1};
  must_fail("ptrace", syscall(SYS_ptrace, 0 /* TRACEME */, 0, 0, 0));
  must_fail("process_vm_readv", syscall(SYS_process_vm_readv, getpid(), &to, 1UL, &from, 1UL, 0UL));
  must_fail("process_vm_writev", syscall(SYS_process_vm_writev, getpid(), &to, 1UL, &from, 1UL, 0UL));
  must_fail("kcmp", syscall(SYS_kcmp, getpid(), getpid(), 2, 0UL, 0UL));
  must_fail("pidfd_open of init", syscall(434, 1, 0U));
  long self = syscall(434, getpid(), 0U);
  must_fail("pidfd_getfd", self < 0 ? self : syscall(438, (int)self, 1, 0U));
  uint64_t limit[2];
  must_fail("prlimit64 of init", syscall(SYS_prlimit64, 1, 7, NULL, limit));
}

static void sockets(void) {
  must_fail("a socket to the hypervisor", socket(AF_VSOCK_FAMILY, SOCK_STREAM | SOCK_CLOEXEC, 0));
  must_fail("a packet socket", socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  must_fail("a raw socket", socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
  must_fail("a raw IPv6 socket", socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMPV6));
  must_fail("a socket of the kernel's ciphers", socket(AF_ALG_FAMILY, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
}

static void the_machine(void) {
  struct {
    unsigned size;
    int type;
    unsigned char bytes[128];
  } handle = {.size = 128};
  int mount_id = 0;
  must_fail("name_to_handle_at", syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &handle, &mount_id, 0));
  must_fail("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY));
  must_fail("init_module", syscall(SYS_init_module, "", 0UL, ""));
  must_fail("finit_module", syscall(SYS_finit_module, 0, "", 0));
  must_fail("delete_module", syscall(SYS_delete_module, "isopod_canary", 0U));
  must_fail("kexec_load", syscall(SYS_kexec_load, 0UL, 0UL, NULL, 0UL));
  must_fail("reboot", syscall(SYS_reboot, 0xfee1deadU, 672274793U, 0U /* Ctrl-Alt-Del as it is */, NULL));
  must_fail("swapon", syscall(SYS_swapon, "/tmp/none", 0));
  must_fail("acct", syscall(SYS_acct, NULL));
  must_fail("syslog", syscall(SYS_syslog, 10, NULL, 0));
  must_fail("personality without address randomness", syscall(SYS_personality, 0x0040000UL));
#if defined(__x86_64__)
  must_fail("iopl", syscall(SYS_iopl, 3));
  must_fail("ioperm", syscall(SYS_ioperm, 0x80UL, 1UL, 1));
#endif
}

/* Calls that Isopod's profile refuses and an engine's default profile allows: they show which profile is in force. */
static void refused_only_by_ours(void) {
  char byte = 'x', table[16];
  struct iovec one = {&byte, 1};
  int ends[2];
  must_fail("personality", syscall(SYS_personality, 0xffffffffUL /* asks only */));
  if (pipe(ends) == 0) must_fail("vmsplice", syscall(SYS_vmsplice, ends[1], &one, 1UL, 0U));
  must_fail("memfd_secret", syscall(447, 0U));
  must_fail("a socket for events of devices", socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 15));
  must_fail("an UDP-Lite socket", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDPLITE));
#if defined(__x86_64__)
  must_fail("modify_ldt", syscall(SYS_modify_ldt, 0 /* reads */, table, sizeof table));
#endif
  (void)table;
}

/*
 * Calls that must be refused, with arguments that would be valid if they were allowed. The argument "ours" adds the calls that
 * only Isopod's profile refuses.
 */
void calls(int count, char **args) {
  if (count > 0 && strcmp(args[0], "ours") == 0) refused_only_by_ours();
  mounting();
  kernel_objects();
  other_processes();
  sockets();
  the_machine();
  namespaces();
  while (waitpid(-1, NULL, 0) > 0) continue;
}
