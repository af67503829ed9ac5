#define _GNU_SOURCE
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/ioprio.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter knows x64 and arm64 only"
#endif

/* Younger than the headers of some distributions; the numbers are the same on all architectures. */
#ifndef __NR_process_madvise
#define __NR_process_madvise 440
#endif
#ifndef __NR_process_mrelease
#define __NR_process_mrelease 448
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
/* Not among those of the C library. */
#ifndef IPV6_FLOWLABEL_MGR
#define IPV6_FLOWLABEL_MGR 32
#endif
/* The flags come first on x64 and arm64. */
#define CLONE_FLAGS 0
#define NAMESPACES \
  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define X32_BIT 0x40000000u
#define MQUEUE_MAGIC 0x19800202

/* The low half of an argument: the kernel reads process ids, and the selectors below, as 32-bit numbers. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define LACK ANSWER(SECCOMP_RET_ERRNO | ENOSYS)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN ANSWER(SECCOMP_RET_ERRNO | EINVAL)
/* The call is not made, and succeeds. */
#define IGNORE ANSWER(SECCOMP_RET_ERRNO | 0)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))
#define IF_EQUAL(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (skipped), 0)

/* The accumulator holds the call's number on entry of each rule and after it. */
#define NEVER(call) UNLESS(__NR_##call, 1), REFUSE
/* Allowed with 0 in the argument, which means the caller itself. */
#define ONLY_ON_SELF(call, argument) UNLESS(__NR_##call, 4), LOAD(ARGUMENT(argument)), UNLESS(0, 1), ALLOW, REFUSE
/* Allowed on oneself, or on anyone with a harmless second argument. */
#define ONLY_ON_SELF_OR_WITH(call, harmless) \
  UNLESS(__NR_##call, 6), LOAD(ARGUMENT(0)), IF_EQUAL(0, 2), LOAD(ARGUMENT(1)), UNLESS((harmless), 1), ALLOW, REFUSE
/* Allowed on every process but one. */
#define NEVER_ON(call, process) UNLESS(__NR_##call, 4), LOAD(ARGUMENT(0)), IF_EQUAL((process), 1), ALLOW, REFUSE
#define NEVER_ON_INIT(call) NEVER_ON(call, 1)
/* Allowed on the caller itself and on no group. */
#define ONLY_ON_OWN_PROCESS(call, process) \
  UNLESS(__NR_##call, 6), LOAD(ARGUMENT(0)), UNLESS((process), 3), LOAD(ARGUMENT(1)), UNLESS(0, 1), ALLOW, REFUSE
/* Allowed but for two values of an argument. */
#define NEITHER(call, argument, one, other) \
  UNLESS(__NR_##call, 5), LOAD(ARGUMENT(argument)), IF_EQUAL((one), 2), IF_EQUAL((other), 1), ALLOW, REFUSE
/* Allowed without the flag; with it the kernel seems not to know it. */
#define WITHOUT_FLAG(call, argument, flag) \
  UNLESS(__NR_##call, 4), LOAD(ARGUMENT(argument)), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (flag), 0, 1), UNKNOWN, ALLOW
/* Allowed for files and pipes. */
#define NO_DEVICES(call, mode) \
  UNLESS(__NR_##call, 6), LOAD(ARGUMENT(mode)), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, S_IFMT), IF_EQUAL(S_IFCHR, 2), \
      IF_EQUAL(S_IFBLK, 1), ALLOW, REFUSE

static const struct sock_filter rules[] = {
    LOAD(offsetof(struct seccomp_data, arch)),
    IF_EQUAL(OWN_ARCH, 1),
    REFUSE,
    LOAD(offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
    REFUSE,
#endif
    NEVER(ptrace),
    NEVER(process_vm_readv),
    NEVER(process_vm_writev),
    NEVER(pidfd_getfd),
    /* Takes a directory of /proc for a process, which no filter can read. */
    NEVER(pidfd_send_signal),
    NEVER(kcmp),
    NEVER(process_madvise),
    NEVER(process_mrelease),
    NEVER(perf_event_open),
    /* Linux ignores the signals that a first process gets from below; gVisor would end it. */
    NEVER_ON_INIT(kill),
    NEVER_ON_INIT(tkill),
    NEVER_ON_INIT(tgkill),
    NEVER_ON_INIT(rt_sigqueueinfo),
    NEVER_ON_INIT(rt_tgsigqueueinfo),
    NEVER_ON_INIT(pidfd_open),
    /*
     * Files of an image are pages that all containers share, and their disk is the host's. What drops such pages, or reads
     * past them, has the disk read the same again and again, for as long as the program likes.
     */
    UNLESS(__NR_fadvise64, 4),
    LOAD(ARGUMENT(3)),
    UNLESS(POSIX_FADV_DONTNEED, 1),
    IGNORE,
    ALLOW,
    /* Merged pages tell by their time what others have in memory; the host decides whether there are any. */
    UNLESS(__NR_madvise, 6),
    LOAD(ARGUMENT(2)),
    IF_EQUAL(MADV_COLD, 3),
    IF_EQUAL(MADV_PAGEOUT, 2),
    IF_EQUAL(MADV_MERGEABLE, 1),
    ALLOW,
    UNKNOWN,
#if defined(__NR_open)
    WITHOUT_FLAG(open, 1, O_DIRECT),
#endif
    WITHOUT_FLAG(openat, 2, O_DIRECT),
    /*
     * And no O_DIRECT afterwards. Who owns a descriptor is signalled when it becomes ready, in gVisor even init, and by any
     * signal.
     */
    UNLESS(__NR_fcntl, 9),
    LOAD(ARGUMENT(1)),
    IF_EQUAL(F_SETOWN, 6),
    IF_EQUAL(F_SETOWN_EX, 5),
    UNLESS(F_SETFL, 3),
    LOAD(ARGUMENT(2)),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_DIRECT, 0, 1),
    UNKNOWN,
    ALLOW,
    REFUSE,
    NEITHER(ioctl, 1, FIOSETOWN, SIOCSPGRP),
    ONLY_ON_SELF(prlimit64, 0),
    ONLY_ON_OWN_PROCESS(setpriority, PRIO_PROCESS),
    ONLY_ON_OWN_PROCESS(ioprio_set, IOPRIO_WHO_PROCESS),
    /* Mono gives each of its threads, by number, the policy that all have; on init it would change nothing either. */
    ONLY_ON_SELF_OR_WITH(sched_setscheduler, SCHED_OTHER),
    ONLY_ON_SELF(sched_setparam, 0),
    ONLY_ON_SELF(sched_setattr, 0),
    ONLY_ON_SELF(sched_setaffinity, 0),
    ONLY_ON_SELF(migrate_pages, 0),
    ONLY_ON_SELF(move_pages, 0),
    /*
     * Whoever makes a user namespace is root in it, and gVisor then counts his processes no longer. The flags of clone3 lie
     * where no filter can see them; without it libraries take clone.
     */
    NEVER(unshare),
    NEVER(setns),
    UNLESS(__NR_clone, 4),
    LOAD(ARGUMENT(CLONE_FLAGS)),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1),
    REFUSE,
    ALLOW,
    UNLESS(__NR_clone3, 1),
    LACK,
    /* Linux asks for a capability; gVisor lets anyone have the devices and the log of its kernel. */
#if defined(__NR_mknod)
    NO_DEVICES(mknod, 1),
#endif
    NO_DEVICES(mknodat, 2),
    NEVER(syslog),
    /* Keys outlive processes, so a reset could not take them away. */
    NEVER(keyctl),
    NEVER(add_key),
    NEVER(request_key),
    /* Its contexts are counted for the whole host, and one program could take them all. */
    NEVER(io_setup),
    NEVER(io_uring_setup),
    NEVER(io_uring_enter),
    NEVER(io_uring_register),
    /* Flow labels need no process and no socket, outlast a reset, and are counted for the whole host. */
    UNLESS(__NR_setsockopt, 6),
    LOAD(ARGUMENT(1)),
    UNLESS(IPPROTO_IPV6, 2),
    LOAD(ARGUMENT(2)),
    IF_EQUAL(IPV6_FLOWLABEL_MGR, 1),
    ALLOW,
    REFUSE,
    /* Reaches the host of a virtual machine past every network namespace. */
    UNLESS(__NR_socket, 4),
    LOAD(ARGUMENT(0)),
    IF_EQUAL(AF_VSOCK, 1),
    ALLOW,
    REFUSE,
    ALLOW,
};

/* A message queue that no directory shows could not be removed by a reset. */
static const struct sock_filter no_queues[] = {
    LOAD(offsetof(struct seccomp_data, nr)),
    NEVER(mq_open),
    ALLOW,
};

static int install(const struct sock_filter *filter, size_t count) {
  struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int seccomp_guard_init(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
  struct statfs queues;
  int listed = statfs("/dev/mqueue", &queues) == 0 && queues.f_type == MQUEUE_MAGIC;
  if (!listed && install(no_queues, sizeof no_queues / sizeof *no_queues) < 0) return -1;
  return install(rules, sizeof rules / sizeof *rules);
}

int seccomp_guard_self(void) {
  uint32_t own = (uint32_t)getpid();
  const struct sock_filter filter[] = {
      LOAD(offsetof(struct seccomp_data, nr)),
      /* Itself, and its group, which has nobody else in it. */
      NEITHER(kill, 0, own, -own),
      NEVER_ON(tkill, own),
      NEVER_ON(tgkill, own),
      NEVER_ON(rt_sigqueueinfo, own),
      NEVER_ON(rt_tgsigqueueinfo, own),
      NEVER_ON(pidfd_open, own),
      ALLOW,
  };
  return install(filter, sizeof filter / sizeof *filter);
}
