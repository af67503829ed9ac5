/* Macros for the rules of a seccomp filter. */
#ifndef ISOPOD_FILTER_H
#define ISOPOD_FILTER_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter knows x64 and arm64 only"
#endif

/* The low half of an argument: the kernel reads process ids, and all other values that rules compare, as 32-bit numbers. */
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define FAIL(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define UNSUPPORTED FAIL(ENOSYS)
#define REFUSE FAIL(EPERM)
/* The call succeeds without being executed. */
#define IGNORE FAIL(0)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))
#define IF_EQUAL(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (skipped), 0)
#define UNLESS_ANY_BIT(mask, skipped) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (mask), 0, (skipped))

/* Before and after each rule the accumulator holds the system call's number. */
#define NEVER(call) UNLESS(__NR_##call, 1), REFUSE
/* Allowed with 0 in the argument: the caller itself. */
#define ONLY_ON_SELF(call, argument) UNLESS(__NR_##call, 4), LOAD(ARGUMENT(argument)), UNLESS(0, 1), ALLOW, REFUSE
/* Allowed on the caller itself, or on any process if the second argument has a harmless value. */
#define ONLY_ON_SELF_OR_WITH(call, harmless) \
  UNLESS(__NR_##call, 6), LOAD(ARGUMENT(0)), IF_EQUAL(0, 2), LOAD(ARGUMENT(1)), UNLESS((harmless), 1), ALLOW, REFUSE
/* Allowed on every process but one. */
#define NEVER_ON(call, process) NEVER_WITH(call, 0, process)
#define NEVER_ON_INIT(call) NEVER_ON(call, 1)
/* Allowed on the caller itself, not on process groups. */
#define ONLY_ON_OWN_PROCESS(call, process) \
  UNLESS(__NR_##call, 6), LOAD(ARGUMENT(0)), UNLESS((process), 3), LOAD(ARGUMENT(1)), UNLESS(0, 1), ALLOW, REFUSE
/* Allowed except for one value of an argument. */
#define NEVER_WITH(call, argument, value) \
  UNLESS(__NR_##call, 4), LOAD(ARGUMENT(argument)), IF_EQUAL((value), 1), ALLOW, REFUSE
/* Allowed except for two values of an argument. */
#define NEVER_WITH_EITHER(call, argument, one, other) \
  UNLESS(__NR_##call, 5), LOAD(ARGUMENT(argument)), IF_EQUAL((one), 2), IF_EQUAL((other), 1), ALLOW, REFUSE
/* Allowed with one of two values of an argument. */
#define ONLY_WITH_EITHER(call, argument, one, other) \
  UNLESS(__NR_##call, 5), LOAD(ARGUMENT(argument)), IF_EQUAL((one), 1), UNLESS((other), 1), ALLOW, REFUSE
/* Allowed without these flags; with one of them it fails with `error`. */
#define WITHOUT(call, argument, flags, error) \
  UNLESS(__NR_##call, 4), LOAD(ARGUMENT(argument)), UNLESS_ANY_BIT((flags), 1), FAIL(error), ALLOW
/* Allowed unless the mode is that of a device. */
#define NO_DEVICES(call, mode) \
  UNLESS(__NR_##call, 6), LOAD(ARGUMENT(mode)), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, S_IFMT), IF_EQUAL(S_IFCHR, 2), \
      IF_EQUAL(S_IFBLK, 1), ALLOW, REFUSE
/* Allowed if the accumulator holds this value; otherwise the next rule decides. */
#define PASS(value) UNLESS((value), 1), ALLOW

#endif
