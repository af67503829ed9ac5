/**
 * Calls that no profile can refuse: the runtime makes them between installing the profile and starting init, init makes them for
 * itself, or the dynamic loader before any program's first line. Older forms that only x64 has are among them.
 */
export const NEEDED_CALLS: ReadonlySet<string> = new Set(
  [
    // Data and descriptors.
    'read write readv writev pread64 pwrite64 lseek ftruncate',
    'open openat close close_range dup2 dup3 fcntl ioctl pipe2',
    // Files.
    'stat lstat fstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink readlinkat getdents64 getcwd',
    'chdir fchdir mkdirat unlinkat rename renameat renameat2 chmod fchmod fchmodat utimensat umask flistxattr fremovexattr',
    // Waiting.
    'poll ppoll epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 signalfd4 nanosleep clock_nanosleep clock_gettime',
    // Memory.
    'mmap munmap mprotect mremap madvise brk mlock2',
    // Processes.
    'execve exit exit_group clone wait4 waitid getpid getppid gettid set_tid_address setsid kill tgkill',
    'rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait sigaltstack restart_syscall',
    'prctl futex set_robust_list rseq arch_prctl sched_yield sched_getaffinity',
    // The process: its system, usage, limits and identity.
    'uname sysinfo getrandom getrusage getrlimit setrlimit prlimit64 getuid geteuid getgid getegid capget capset',
    // A reset removes what is left of these.
    'shmctl semctl msgctl',
  ].flatMap((line) => line.split(' ')),
)
