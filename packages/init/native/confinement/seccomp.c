#define _GNU_SOURCE
#include "confinement/seccomp.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/memfd.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "confinement/filter.h"
#include "confinement/socket_options.h"

/* Missing in the headers of some distributions; the numbers are the same on all architectures. */
#ifndef __NR_process_madvise
#define __NR_process_madvise 440
#endif
#ifndef __NR_process_mrelease
#define __NR_process_mrelease 448
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef FS_IOC_GETFSUUID
#define FS_IOC_GETFSUUID 0x80111500
#endif
#ifndef FS_IOC_GETFSSYSFSPATH
#define FS_IOC_GETFSSYSFSPATH 0x80811501
#endif
#ifndef EXT4_IOC_GETFSUUID
#define EXT4_IOC_GETFSUUID 0x8008662c
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
/* On x64 and arm64 the flags are the first argument. */
#define CLONE_FLAGS 0
#define NAMESPACES \
  (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define X32_BIT 0x40000000u
#define MQUEUE_MAGIC 0x19800202

/* Allows the address families that programs need; others fail as if the kernel was built without them. */
#define FAMILIES(call) \
  UNLESS(__NR_##call, 8), LOAD(ARGUMENT(0)), PASS(AF_UNIX), PASS(AF_INET), PASS(AF_INET6), FAIL(EAFNOSUPPORT)

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
    /* A descriptor of a directory in /proc can refer to a process; a filter cannot see which. */
    NEVER(pidfd_send_signal),
    NEVER(kcmp),
    NEVER(process_madvise),
    NEVER(process_mrelease),
    NEVER(perf_event_open),
    /* Linux ignores signals from the namespace to its PID 1; gVisor would let them end init. */
    NEVER_ON_INIT(kill),
    NEVER_ON_INIT(tkill),
    NEVER_ON_INIT(tgkill),
    NEVER_ON_INIT(rt_sigqueueinfo),
    NEVER_ON_INIT(rt_tgsigqueueinfo),
    NEVER_ON_INIT(pidfd_open),
    /*
     * Containers share the page cache of an image's files, and the disk is the host's. Calls that drop those pages or bypass
     * them would let a program read from the host's disk without end.
     */
    UNLESS(__NR_fadvise64, 4),
    LOAD(ARGUMENT(3)),
    UNLESS(POSIX_FADV_DONTNEED, 1),
    IGNORE,
    ALLOW,
    /* The time of a write to a merged page reveals what other containers have in memory. */
    UNLESS(__NR_madvise, 6),
    LOAD(ARGUMENT(2)),
    IF_EQUAL(MADV_COLD, 3),
    IF_EQUAL(MADV_PAGEOUT, 2),
    IF_EQUAL(MADV_MERGEABLE, 1),
    ALLOW,
    FAIL(EINVAL),
#if defined(__NR_open)
    WITHOUT(open, 1, O_DIRECT, EINVAL),
#endif
    WITHOUT(openat, 2, O_DIRECT, EINVAL),
    /*
     * Splicing moves a socket's pages into a pipe, where one byte keeps 32 KiB that no cgroup counts. EINVAL is the error for
     * descriptors that do not support splicing, so libraries and grep fall back to read and write. sendfile with an offset
     * reads from a file, never from a socket.
     */
    UNLESS(__NR_splice, 1),
    FAIL(EINVAL),
    UNLESS(__NR_sendfile, 6),
    LOAD(ARGUMENT(2)),
    UNLESS(0, 3),
    LOAD(ARGUMENT(2) + 4),
    UNLESS(0, 1),
    FAIL(EINVAL),
    ALLOW,
    /* Mapping a socket keeps its pages, too, and no cgroup is charged for them. */
    UNLESS(__NR_getsockopt, 6),
    LOAD(ARGUMENT(1)),
    UNLESS(IPPROTO_TCP, 3),
    LOAD(ARGUMENT(2)),
    UNLESS(TCP_ZEROCOPY_RECEIVE, 1),
    FAIL(ENOPROTOOPT),
    ALLOW,
    /*
     * O_DIRECT must not be set later either. F_SETOWN and F_SETSIG make the kernel signal any process, in gVisor even init.
     */
    UNLESS(__NR_fcntl, 9),
    LOAD(ARGUMENT(1)),
    IF_EQUAL(F_SETOWN, 6),
    IF_EQUAL(F_SETOWN_EX, 5),
    UNLESS(F_SETFL, 3),
    LOAD(ARGUMENT(2)),
    UNLESS_ANY_BIT(O_DIRECT, 1),
    FAIL(EINVAL),
    ALLOW,
    REFUSE,
    UNLESS(__NR_ioctl, 10),
    LOAD(ARGUMENT(1)),
    IF_EQUAL(FIOSETOWN, 7),
    IF_EQUAL(SIOCSPGRP, 6),
    /* These requests reveal the host's disk and file system, and where a file is on them. They fail as unsupported. */
    IF_EQUAL(FS_IOC_GETFSUUID, 4),
    IF_EQUAL(FS_IOC_GETFSSYSFSPATH, 3),
    IF_EQUAL(EXT4_IOC_GETFSUUID, 2),
    IF_EQUAL(FS_IOC_FIEMAP, 1),
    ALLOW,
    FAIL(ENOTTY),
    REFUSE,
    ONLY_ON_SELF(prlimit64, 0),
    ONLY_ON_OWN_PROCESS(setpriority, PRIO_PROCESS),
    ONLY_ON_OWN_PROCESS(ioprio_set, IOPRIO_WHO_PROCESS),
    /* Mono sets the default policy of each thread by its id; applied to init it would change nothing. */
    ONLY_ON_SELF_OR_WITH(sched_setscheduler, SCHED_OTHER),
    ONLY_ON_SELF(sched_setparam, 0),
    ONLY_ON_SELF(sched_setattr, 0),
    ONLY_ON_SELF(sched_setaffinity, 0),
    ONLY_ON_SELF(migrate_pages, 0),
    ONLY_ON_SELF(move_pages, 0),
    /*
     * In its own user namespace a program would be root, and gVisor would stop counting its processes. A filter cannot read the
     * flags of clone3, so clone3 fails and libraries fall back to clone.
     */
    NEVER(unshare),
    NEVER(setns),
    UNLESS(__NR_clone, 4),
    LOAD(ARGUMENT(CLONE_FLAGS)),
    UNLESS_ANY_BIT(NAMESPACES, 1),
    REFUSE,
    ALLOW,
    UNLESS(__NR_clone3, 1),
    UNSUPPORTED,
    /* Linux requires a capability; gVisor allows every process to use its devices and its kernel log. */
#if defined(__NR_mknod)
    NO_DEVICES(mknod, 1),
#endif
    NO_DEVICES(mknodat, 2),
    NEVER(syslog),
    /* Keys outlive processes, and a reset could not remove them. */
    NEVER(keyctl),
    NEVER(add_key),
    NEVER(request_key),
    /* AIO contexts are counted for the whole host; one program could take them all. */
    NEVER(io_setup),
    NEVER(io_uring_setup),
    NEVER(io_uring_enter),
    NEVER(io_uring_register),
    /*
     * Unread netlink answers are charged to no cgroup, other families have weaknesses of their own, and AF_VSOCK reaches a
     * virtual machine's host past every network namespace.
     */
    FAMILIES(socket),
    FAMILIES(socketpair),
    /* Huge pages come from a pool of the host, and no memory limit counts them. */
    WITHOUT(mmap, 3, MAP_HUGETLB, ENOMEM),
    WITHOUT(memfd_create, 1, MFD_HUGETLB, ENOMEM),
    WITHOUT(shmget, 2, SHM_HUGETLB, ENOMEM),
    /* Filters take memory from one pool of the kernel; queries are harmless. */
    ONLY_WITH_EITHER(seccomp, 0, SECCOMP_GET_ACTION_AVAIL, SECCOMP_GET_NOTIF_SIZES),
    NEVER_WITH(prctl, 0, PR_SET_SECCOMP),
    /* Ends the filter. */
    IF_EQUAL(__NR_setsockopt, 1),
    ALLOW,
    SOCKET_OPTIONS,
};

/* A reset could not remove a message queue that is not mounted anywhere. */
static const struct sock_filter no_queues[] = {
    LOAD(offsetof(struct seccomp_data, nr)),
    NEVER(mq_open),
    ALLOW,
};

static int install(const struct sock_filter *filter, size_t count) {
  struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int guard_self(void) {
  uint32_t own = (uint32_t)getpid();
  const struct sock_filter filter[] = {
      LOAD(offsetof(struct seccomp_data, nr)),
      /* A process may signal itself, and its process group, which has no other member. */
      NEVER_WITH_EITHER(kill, 0, own, -own),
      NEVER_ON(tkill, own),
      NEVER_ON(tgkill, own),
      NEVER_ON(rt_sigqueueinfo, own),
      NEVER_ON(rt_tgsigqueueinfo, own),
      NEVER_ON(pidfd_open, own),
      ALLOW,
  };
  return install(filter, sizeof filter / sizeof *filter);
}

int seccomp_guard(int self) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
  struct statfs queues;
  int listed = statfs("/dev/mqueue", &queues) == 0 && queues.f_type == MQUEUE_MAGIC;
  if (!listed && install(no_queues, sizeof no_queues / sizeof *no_queues) < 0) return -1;
  if (self && guard_self() < 0) return -1;
  /* Last, because this filter refuses further filters. */
  return install(rules, sizeof rules / sizeof *rules);
}
