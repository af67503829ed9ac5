/** One system call that a program tries. */
export interface Attempt {
  readonly call: string
  /** Arguments as C expressions. */
  readonly args: string
  /** Distinguishes several attempts of one call. */
  readonly what?: string
  /** The outcome in a job if init's own filter, which refuses calls in addition to the profile, answers with another errno. */
  readonly inJob?: string
}

/** Arguments that are invalid for every call: without a profile the call fails with its own error and changes nothing. */
export const NOTHING = '-1, -1, -1, -1, -1, -1'

/**
 * Blocked call → arguments of its attempt. If the call needs no privilege, the arguments are valid. If its success would
 * harm the machine that the tests run on, they are invalid.
 */
export const BLOCKED_ATTEMPTS: Readonly<Record<string, string>> = {
  clone3: 'clone_args, sizeof clone_args',
  openat2: 'AT_FDCWD, "/", buffer, 24',
  unshare: 'CLONE_FILES',
  setns: 'own_namespace, 0',
  mount: NOTHING,
  umount2: NOTHING,
  pivot_root: NOTHING,
  chroot: '"/"',
  fsopen: '"tmpfs", 0',
  fsconfig: NOTHING,
  fsmount: NOTHING,
  fspick: 'AT_FDCWD, "/tmp", 0',
  move_mount: NOTHING,
  open_tree: 'AT_FDCWD, "/", 0',
  mount_setattr: NOTHING,
  add_key: '"user", "isopod", "x", 1, KEY_SPEC_PROCESS_KEYRING',
  request_key: '"user", "isopod", 0, 0',
  keyctl: '0, KEY_SPEC_PROCESS_KEYRING, 1',
  bpf: NOTHING,
  perf_event_open: NOTHING,
  userfaultfd: 'UFFD_USER_MODE_ONLY',
  memfd_secret: '0',
  fanotify_init: NOTHING,
  fanotify_mark: NOTHING,
  io_uring_setup: '1, buffer',
  io_uring_enter: NOTHING,
  io_uring_register: NOTHING,
  io_setup: '1, buffer',
  io_destroy: NOTHING,
  io_submit: NOTHING,
  io_cancel: NOTHING,
  io_getevents: NOTHING,
  io_pgetevents: NOTHING,
  ptrace: '0, 0, 0, 0',
  process_vm_readv: 'getpid(), buffer, 0, buffer, 0, 0',
  process_vm_writev: 'getpid(), buffer, 0, buffer, 0, 0',
  kcmp: 'getpid(), getpid(), 1, 0, 0',
  pidfd_getfd: NOTHING,
  process_madvise: NOTHING,
  process_mrelease: NOTHING,
  name_to_handle_at: 'AT_FDCWD, "/", buffer, buffer, 0',
  open_by_handle_at: NOTHING,
  lookup_dcookie: NOTHING,
  vmsplice: NOTHING,
  sync: '',
  syncfs: 'own_namespace',
  personality: '0xffffffff',
  init_module: NOTHING,
  finit_module: NOTHING,
  delete_module: NOTHING,
  kexec_load: NOTHING,
  kexec_file_load: NOTHING,
  reboot: NOTHING,
  swapon: NOTHING,
  swapoff: NOTHING,
  acct: NOTHING,
  quotactl: NOTHING,
  quotactl_fd: NOTHING,
  syslog: NOTHING,
  settimeofday: NOTHING,
  clock_settime: NOTHING,
  clock_adjtime: 'CLOCK_REALTIME, buffer',
  adjtimex: 'buffer',
  sethostname: NOTHING,
  setdomainname: NOTHING,
  vhangup: '',
  setgroups: NOTHING,
  nfsservctl: NOTHING,
  iopl: NOTHING,
  ioperm: NOTHING,
  modify_ldt: '0, buffer, 16',
  mbind: NOTHING,
  set_mempolicy: '0, 0, 0',
  get_mempolicy: 'buffer, 0, 0, 0, 0',
  migrate_pages: NOTHING,
  move_pages: NOTHING,
  set_mempolicy_home_node: NOTHING,
  mq_open: '"isopod", O_RDONLY, 0, 0',
  mq_unlink: '"isopod"',
  mq_timedsend: NOTHING,
  mq_timedreceive: NOTHING,
  mq_notify: NOTHING,
  mq_getsetattr: NOTHING,
  remap_file_pages: NOTHING,
  uselib: NOTHING,
  ustat: NOTHING,
  sysfs: '3',
  _sysctl: NOTHING,
  create_module: NOTHING,
  get_kernel_syms: NOTHING,
  query_module: NOTHING,
  getpmsg: NOTHING,
  putpmsg: NOTHING,
  afs_syscall: NOTHING,
  tuxcall: NOTHING,
  security: NOTHING,
  vserver: NOTHING,
  set_thread_area: NOTHING,
  get_thread_area: NOTHING,
  epoll_ctl_old: NOTHING,
  epoll_wait_old: NOTHING,
  map_shadow_stack: NOTHING,
  cachestat: NOTHING,
  futex_wake: NOTHING,
  futex_wait: NOTHING,
  futex_requeue: NOTHING,
  statmount: NOTHING,
  listmount: NOTHING,
  lsm_get_self_attr: NOTHING,
  lsm_set_self_attr: NOTHING,
  lsm_list_modules: NOTHING,
  mseal: '0, 0, 0',
}

/**
 * Call that the default profile allows → arguments of its attempt, if `NOTHING` would be refused for another reason. The
 * profiles of languages block such calls.
 */
export const ALLOWED_ATTEMPTS: Readonly<Record<string, string>> = {
  alarm: '0',
  munlockall: '',
  inotify_init: '',
  socket: 'AF_UNIX, SOCK_STREAM, 0',
  socketpair: 'AF_UNIX, SOCK_STREAM, 0, buffer',
  // Init's own filter checks the arguments of this call, and its answer takes precedence.
  setsockopt: '-1, SOL_SOCKET, SO_REUSEADDR, buffer, 4',
  shmget: '0, 4096, 0600',
  memfd_create: '"isopod", 0',
  sched_setaffinity: '0, 0, buffer',
  sched_setparam: '0, buffer',
  sched_setscheduler: '0, 0, buffer',
  sched_setattr: '0, buffer, 0',
  setpriority: '0, 0, 0',
  ioprio_set: '1, 0, 0',
}

/** Blocked socket families. By number, because not every C library has a name for each. */
const FAMILIES: Readonly<Record<string, number>> = {
  AX25: 3,
  IPX: 4,
  APPLETALK: 5,
  X25: 9,
  KEY: 15,
  PACKET: 17,
  RDS: 21,
  PPPOX: 24,
  IB: 27,
  CAN: 29,
  TIPC: 30,
  BLUETOOTH: 31,
  RXRPC: 33,
  ISDN: 34,
  PHONET: 35,
  IEEE802154: 36,
  ALG: 38,
  NFC: 39,
  VSOCK: 40,
  KCM: 41,
  QIPCRTR: 42,
  SMC: 43,
  XDP: 44,
  MCTP: 45,
}

const NAMESPACES = ['NEWNS', 'NEWCGROUP', 'NEWUTS', 'NEWIPC', 'NEWUSER', 'NEWPID', 'NEWNET']

/** Calls with arguments that no condition of the profile allows, so they are refused with EPERM. */
export const REFUSED_ARGUMENTS: readonly Attempt[] = [
  ...NAMESPACES.map((flag) => ({ call: 'clone', args: `CLONE_${flag} | SIGCHLD, 0, 0, 0, 0`, what: flag })),
  { call: 'seccomp', args: 'SECCOMP_SET_MODE_FILTER, 8, buffer', what: 'listener' },
  { call: 'seccomp', args: 'SECCOMP_SET_MODE_FILTER, 0, buffer', what: 'a filter' },
  { call: 'seccomp', args: 'SECCOMP_SET_MODE_STRICT, 1, 0', what: 'strict' },
  { call: 'prlimit64', args: 'getpid(), RLIMIT_NOFILE, 0, buffer', what: 'by number' },
  ...Object.entries(FAMILIES).flatMap(([what, family]) =>
    ['SOCK_STREAM', 'SOCK_DGRAM', 'SOCK_RAW'].map((type) => ({
      call: 'socket',
      args: `${family}, ${type}, 0`,
      what: `${what} ${type}`,
      inJob: 'EAFNOSUPPORT',
    })),
  ),
  ...['AF_INET', 'AF_INET6'].flatMap((family) =>
    [
      'SOCK_RAW, IPPROTO_ICMP',
      'SOCK_RAW, IPPROTO_TCP',
      'SOCK_RAW, 255',
      'SOCK_RAW | SOCK_CLOEXEC, IPPROTO_UDP',
      'SOCK_PACKET, 0',
      'SOCK_SEQPACKET, 0',
      'SOCK_DGRAM, IPPROTO_ICMP',
      'SOCK_STREAM, IPPROTO_SCTP',
      'SOCK_STREAM, 262',
      'SOCK_DGRAM, 136',
      'SOCK_DCCP, 33',
    ].map((rest) => ({ call: 'socket', args: `${family}, ${rest}`, what: `${family} ${rest}` })),
  ),
  ...[0, 4, 6, 9, 12, 15, 16].map((protocol) => ({
    call: 'socket',
    args: `AF_NETLINK, SOCK_RAW, ${protocol}`,
    what: `netlink ${protocol}`,
    inJob: 'EAFNOSUPPORT',
  })),
  { call: 'socket', args: '0x100000000L + AF_INET, SOCK_RAW, IPPROTO_ICMP', what: 'garbage above' },
  { call: 'socketpair', args: 'AF_INET, SOCK_STREAM, 0, buffer', what: 'AF_INET' },
  { call: 'socketpair', args: '30, SOCK_STREAM, 0, buffer', what: 'TIPC', inJob: 'EAFNOSUPPORT' },
]

/** Calls with arguments that the profile allows. Ordinary programs make them, so they must succeed. */
export const ALLOWED_ARGUMENTS: readonly Attempt[] = [
  { call: 'clone', args: 'SIGCHLD, 0, 0, 0, 0', what: 'a process' },
  {
    call: 'seccomp',
    args: 'SECCOMP_GET_ACTION_AVAIL, 0, &(unsigned){SECCOMP_RET_ERRNO}',
    what: 'a question',
  },
  { call: 'prlimit64', args: '0, RLIMIT_NOFILE, 0, buffer', what: 'own' },
  ...['SOCK_STREAM', 'SOCK_DGRAM', 'SOCK_SEQPACKET', 'SOCK_STREAM | SOCK_CLOEXEC'].flatMap((type) => [
    { call: 'socket', args: `AF_UNIX, ${type}, 0`, what: `AF_UNIX ${type}` },
    { call: 'socketpair', args: `AF_UNIX, ${type}, 0, buffer`, what: `AF_UNIX ${type}` },
  ]),
  ...[
    'SOCK_STREAM, 0',
    'SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP',
    'SOCK_DGRAM, 0',
    'SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP',
  ].map((rest) => ({ call: 'socket', args: `AF_INET, ${rest}`, what: `AF_INET ${rest}` })),
]

const FILTER = '&(struct sock_fprog){1, (struct sock_filter[]){{6, 0, 0, 0xffff}}}, sizeof(struct sock_fprog)'
const TCP = 'socket(AF_INET, SOCK_STREAM, 0)'
const UDP = 'socket(AF_INET, SOCK_DGRAM, 0)'
const ON = '&(int){1}, sizeof(int)'

/** Calls that the profile allows and only init's own filter refuses, with their outcome in a job. */
export const INIT_REFUSED_ATTEMPTS: readonly (Attempt & { readonly inJob: string })[] = [
  ...['ATTACH_FILTER', 'ATTACH_REUSEPORT_CBPF'].map((what) => ({
    ...{ call: 'setsockopt', what, inJob: 'EPERM' },
    args: `${UDP}, SOL_SOCKET, SO_${what}, ${FILTER}`,
  })),
  ...['ATTACH_BPF', 'ATTACH_REUSEPORT_EBPF', 'LOCK_FILTER'].map((what) => ({
    ...{ call: 'setsockopt', what, inJob: 'EPERM' },
    args: `${UDP}, SOL_SOCKET, SO_${what}, ${ON}`,
  })),
  ...[
    ['tls', `${TCP}, IPPROTO_TCP, 31, "tls", 3`],
    ['multicast', `${UDP}, IPPROTO_IP, IP_ADD_MEMBERSHIP, (char[8]){224, 0, 0, 9, 127, 0, 0, 1}, 8`],
    ['tables of packets', `${UDP}, IPPROTO_IP, 64, buffer, sizeof buffer`],
    ['zero copy', `${TCP}, SOL_SOCKET, 60, ${ON}`],
    ['no option', `${TCP}, SOL_SOCKET, 1000, ${ON}`],
  ].map(([what = '', args = '']) => ({ call: 'setsockopt', what, args, inJob: 'ENOPROTOOPT' })),
  // A filter of one instruction that allows everything, so that it would not affect the other attempts.
  {
    call: 'prctl',
    args: 'PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){1, (struct sock_filter[]){{6, 0, 0, 0x7fff0000}}}',
    what: 'a filter',
    inJob: 'EPERM',
  },
  { call: 'mmap', args: '0, 2 << 20, 3, 0x40022, -1, 0', what: 'huge pages', inJob: 'ENOMEM' },
  { call: 'memfd_create', args: '"a", 4', what: 'huge pages', inJob: 'ENOMEM' },
  { call: 'shmget', args: 'IPC_PRIVATE, 2 << 20, 05600', what: 'huge pages', inJob: 'ENOMEM' },
]

/** The calls of {@link INIT_REFUSED_ATTEMPTS} with arguments of ordinary programs, which must succeed. */
export const INIT_ALLOWED_ATTEMPTS: readonly Attempt[] = [
  ...['REUSEADDR', 'REUSEPORT', 'KEEPALIVE', 'BROADCAST', 'OOBINLINE'].map((what) => ({
    ...{ call: 'setsockopt', what, args: `${TCP}, SOL_SOCKET, SO_${what}, ${ON}` },
  })),
  { call: 'setsockopt', what: 'no delay', args: `${TCP}, IPPROTO_TCP, 1, ${ON}` },
  {
    call: 'setsockopt',
    what: 'IPv6 only',
    args: `socket(AF_INET6, SOCK_STREAM, 0), IPPROTO_IPV6, IPV6_V6ONLY, ${ON}`,
  },
  { call: 'prctl', args: 'PR_GET_SECCOMP', what: 'a question' },
  { call: 'memfd_create', args: '"a", 0', what: 'small pages' },
]

/** Name of an attempt in the output of the program. */
export function attemptName({ call, what }: Attempt): string {
  return what === undefined ? call : `${call} (${what})`
}
