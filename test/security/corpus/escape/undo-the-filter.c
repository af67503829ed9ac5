#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}, tell[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
  struct sock_fprog allow = {1, all}, notify = {1, tell};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
  prctl(PR_SET_SECUREBITS, 1, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &allow) == 0) puts("ESCAPED: a filter of its own");
  /* A second filter cannot loosen the first one, so this call must still be refused. */
  if (unshare(0x10000000) == 0) puts("ESCAPED: unshare after a filter that allows all");
  if (syscall(SYS_ptrace, PTRACE_ATTACH, 1, 0, 0) == 0) puts("ESCAPED: ptrace");
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2) puts("ESCAPED: flags");
  if (fork() == 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &notify) >= 0) _exit(0);
  usleep(200000);
  return 0;
}
