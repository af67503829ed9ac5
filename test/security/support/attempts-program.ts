import { type Attempt, attemptName } from './seccomp-attempts.ts'

/** Number of an errno, as the program prints it → its name. */
const ERRNO: Readonly<Record<string, string>> = {
  '1': 'EPERM',
  '12': 'ENOMEM',
  '38': 'ENOSYS',
  '92': 'ENOPROTOOPT',
  '97': 'EAFNOSUPPORT',
}

/**
 * A C program that makes each attempt in its own process, and prints its outcome. On x64 it also makes calls with the i386
 * and x32 call numbers.
 */
export function attemptsProgram(attempts: readonly Attempt[]): string {
  const lines = attempts.map((attempt) => {
    const name = JSON.stringify(attemptName(attempt))
    const args = attempt.args === '' ? '' : `, ${attempt.args}`
    return `#ifdef __NR_${attempt.call}\nTRY(${name}, syscall(__NR_${attempt.call}${args}))\n#else\nputs(${name} "\\tabsent");\n#endif`
  })
  return `${HEAD}\n${lines.join('\n')}\n${TAIL}`
}

/** Parses the output of the program: attempt → `ok`, name or number of an errno, `signal N`, or `absent`. */
export function attemptResults(output: string): Map<string, string> {
  return new Map(
    output
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', result = ''] = line.split('\t')
        return [name, ERRNO[result] ?? result] as const
      }),
  )
}

const HEAD = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static char buffer[4096];
static unsigned long long clone_args[8] = {[4] = SIGCHLD};
static void outcome(const char *name, pid_t child) {
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("%s\\tsignal %d\\n", name, WTERMSIG(status));
  else if (WEXITSTATUS(status) == 0) printf("%s\\tok\\n", name);
  else printf("%s\\t%d\\n", name, WEXITSTATUS(status));
}
#define TRY(name, call) \\
  { \\
    pid_t child = fork(); \\
    if (child == 0) { alarm(5); _exit((call) < 0 ? errno : 0); } \\
    outcome(name, child); \\
  }
int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  int own_namespace = open("/proc/self/ns/uts", O_RDONLY);
  (void)own_namespace;
`

const TAIL = `
#ifdef __x86_64__
  long result;
  TRY("i386 getpid", ({ __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); result; }))
  TRY("i386 socketcall", ({ __asm__ volatile("int $0x80" : "=a"(result) : "a"(102), "b"(1), "c"(0) : "memory"); result < 0 ? (errno = -result, -1) : 0; }))
  TRY("x32 getpid", syscall(0x40000000 + 39))
  TRY("x32 ptrace", syscall(0x40000000 + 521, 0, 0, 0, 0))
#endif
  return 0;
}
`
