/*
 * Included before each file of native/: replaces the system calls that reach beyond the process by functions of the harness,
 * which plays host, clock, program and the rest of the container. All other code is as it ships.
 */
#ifndef ISOPOD_FUZZ_SEAMS_H
#define ISOPOD_FUZZ_SEAMS_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* host.c */
ssize_t fuzz_read(int fd, void *buffer, size_t size);
ssize_t fuzz_writev(int fd, const struct iovec *parts, int count);
int fuzz_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int fuzz_poll(struct pollfd *fds, nfds_t count, int milliseconds);
int fuzz_clock_gettime(clockid_t clock, struct timespec *time);
int fuzz_nanosleep(const struct timespec *time, struct timespec *left);
int fuzz_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time);

/* net.c */
int fuzz_socket(int domain, int type, int protocol);
int fuzz_bind(int fd, const struct sockaddr *address, socklen_t size);
int fuzz_listen(int fd, int backlog);
int fuzz_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int fuzz_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int fuzz_shutdown(int fd, int how);
ssize_t fuzz_readv(int fd, const struct iovec *parts, int count);
/* 1 for the descriptor of a connection; then `put` is what writev returns. */
int net_writev(int fd, const struct iovec *parts, int count, ssize_t *put);

/* target.c */
_Noreturn void fuzz_exit(int code);

/* program.c */
extern jmp_buf fuzz_forked;
pid_t fuzz_before_fork(void);
pid_t fuzz_after_fork(void);
int fuzz_kill(pid_t pid, int number);
pid_t fuzz_wait4(pid_t pid, int *status, int options, struct rusage *usage);

/* files.c */
int fuzz_open(const char *path, int flags, ...);
int fuzz_openat(int directory, const char *name, int flags, ...);
int fuzz_mkdirat(int directory, const char *name, mode_t mode);
int fuzz_unlinkat(int directory, const char *name, int flags);
int fuzz_mkfifo(const char *path, mode_t mode);
int fuzz_access(const char *path, int mode);
int fuzz_statvfs(const char *path, struct statvfs *status);

/* Changes to init's own process at its start are left out. */
static inline int fuzz_prctl(int option, ...) {
  (void)option;
  return 0;
}
static inline mode_t fuzz_umask(mode_t mask) {
  return mask;
}
static inline int fuzz_chdir(const char *path) {
  (void)path;
  return 0;
}
static inline int fuzz_mlock2(const void *at, size_t size, unsigned flags) {
  (void)at;
  (void)size;
  (void)flags;
  return 0;
}
static inline long fuzz_syscall(long number, ...) {
  (void)number;
  return 0;
}

#define read fuzz_read
#define readv fuzz_readv
#define writev fuzz_writev
#define socket fuzz_socket
#define bind fuzz_bind
#define listen fuzz_listen
#define accept4 fuzz_accept4
#define setsockopt fuzz_setsockopt
#define shutdown fuzz_shutdown
#define ppoll fuzz_ppoll
#define poll fuzz_poll
#define clock_gettime fuzz_clock_gettime
#define nanosleep fuzz_nanosleep
#define sigtimedwait fuzz_sigtimedwait
#define _exit fuzz_exit
/* Returns twice, first as the child: child_run is the harness's and jumps back. */
#define fork() (setjmp(fuzz_forked) == 0 ? fuzz_before_fork() : fuzz_after_fork())
#define kill fuzz_kill
#define wait4 fuzz_wait4
#define open fuzz_open
#define openat fuzz_openat
#define mkdirat fuzz_mkdirat
#define unlinkat fuzz_unlinkat
#define mkfifo fuzz_mkfifo
#define access fuzz_access
#define statvfs(path, status) fuzz_statvfs(path, status)

#define main init_main
#define getpid() 1
#define prctl fuzz_prctl
#define umask fuzz_umask
#define chdir fuzz_chdir
#define mlock2 fuzz_mlock2
#define syscall fuzz_syscall
/* The flags of the harness's own standard streams do not change. */
#define fcntl(fd, ...) ((fd) < 3 ? 0 : fcntl(fd, __VA_ARGS__))

#endif
