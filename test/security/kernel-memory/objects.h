static void pipes(void) {
  int ends[2];
  while (pipe(ends) == 0 && more(1024)) {
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    fill(ends[1], 65536);
  }
}

static void events(void) {
  sigset_t none;
  sigemptyset(&none);
  for (;;) {
    int process = syscall(SYS_pidfd_open, getpid(), 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    int signal = signalfd(-1, &none, 0), counter = eventfd(0, 0), files = inotify_init();
    if (process < 0 && timer < 0 && signal < 0 && counter < 0 && files < 0) return;
    /* The kernel allocates memory for the owner of a descriptor, and for an armed timer. */
    fcntl(counter, F_SETFL, O_ASYNC | O_NONBLOCK), fcntl(counter, F_SETSIG, SIGUSR1);
    timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {1000, 0}}, NULL);
    if (!more(4096)) return;
  }
}

static void epoll_sets(void) {
  int sets[120], count = 0;
  while (count < 120 && (sets[count] = epoll_create1(0)) >= 0) count++;
  for (int fd; (fd = eventfd(0, 0)) >= 0 && more(0);) {
    for (int i = 0; i < count; i++) {
      struct epoll_event event = {.events = EPOLLIN};
      if (epoll_ctl(sets[i], EPOLL_CTL_ADD, fd, &event) < 0 || !more(256)) return;
    }
  }
}

static void watches(void) {
  char path[32];
  snprintf(path, sizeof path, "/tmp/%d", getpid());
  mkdir(path, 0700), chdir(path);
  for (int i = 0; i < 2000; i++) snprintf(path, sizeof path, "%d", i), close(creat(path, 0600));
  for (int fd; (fd = inotify_init()) >= 0;) {
    for (int i = 0; i < 2000; i++) {
      snprintf(path, sizeof path, "%d", i);
      if (inotify_add_watch(fd, path, IN_ALL_EVENTS) < 0) break;
      if (!more(256)) return;
    }
  }
}

static void memfds(void) {
  for (int fd; (fd = memfd_create("a", 0)) >= 0;) {
    for (int i = 0; i < 64; i++) if (write(fd, data, sizeof data) < 0 || !more(sizeof data)) return;
  }
}

static void locks(void) {
  char path[32];
  snprintf(path, sizeof path, "/tmp/locks-%d", getpid());
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  /* With a gap in between, because the kernel would merge adjacent mappings. */
  for (long i = 0; i < 400000; i++) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = -2 * i + 1000000, .l_len = 1};
    if (fcntl(fd, F_SETLK, &range) < 0 || !more(256)) return;
  }
}

static void timers(void) {
  struct sigevent none = {.sigev_notify = SIGEV_NONE};
  timer_t timer;
  while (timer_create(CLOCK_MONOTONIC, &none, &timer) == 0 && more(512)) continue;
}

static void signals(void) {
  sigset_t own;
  sigemptyset(&own), sigaddset(&own, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &own, NULL);
  while (sigqueue(getpid(), SIGRTMIN, (union sigval){0}) == 0 && more(256)) continue;
}

static char *many_maps(void) {
  char *at = mmap(NULL, 64000L * 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (long i = 0; at != MAP_FAILED && i < 32000; i++) {
    if (mprotect(at + i * 8192, 4096, PROT_READ) < 0 || !more(512)) return NULL;
  }
  return at;
}

static void maps(void) { many_maps(); }

static void names_of_maps(void) {
  char *at = many_maps(), name[80] = "";
  for (long i = 0; at != NULL && i < 64000; i++) {
    snprintf(name, sizeof name, "%078ld", i + getpid() * 100000L);
    if (prctl(0x53564d41 /* PR_SET_VMA */, 0, at + i * 4096, 4096, name) < 0 || !more(128)) return;
  }
}

static void page_tables(void) {
  char *at = mmap(NULL, 1L << 42, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (long i = 0; at != MAP_FAILED && i < 200000; i++) {
    if (*(volatile char *)(at + (i << 21)) != 0 || !more(4096)) return;
  }
}

static void *asleep(void *unused) { return pause(), unused; }

static void threads(void) {
  pthread_t thread;
  while (pthread_create(&thread, NULL, asleep, NULL) == 0 && more(32768)) continue;
}

static void segments(void) {
  for (int id; (id = shmget(IPC_PRIVATE, 1 << 20, 0600)) >= 0;) {
    char *at = shmat(id, NULL, 0);
    if (at == (void *)-1) return;
    memset(at, 1, 1 << 20), shmdt(at);
    if (!more(1 << 20)) return;
  }
}

static void semaphores(void) {
  for (int id; (id = semget(IPC_PRIVATE, 8000, 0600)) >= 0;) {
    struct sembuf one = {0, 1, SEM_UNDO};
    semop(id, &one, 1);
    if (!more(8000 * 80)) return;
  }
}

static void messages(void) {
  static struct { long type; char text[8192]; } message = {1, ""};
  for (int id; (id = msgget(IPC_PRIVATE, 0600)) >= 0;) {
    while (msgsnd(id, &message, 0, IPC_NOWAIT) == 0 && more(64)) continue;
    while (msgsnd(id, &message, sizeof message.text, IPC_NOWAIT) == 0 && more(8192)) continue;
    if (!more(1024)) return;
  }
}

static void files(void) {
  char path[256], value[1024] = "";
  for (long i = 0; ; i++) {
    snprintf(path, sizeof path, "/workspace/%0200ld-%d", i, getpid());
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    syscall(SYS_fsetxattr, fd, "user.a", value, sizeof value, 0), close(fd);
    if (!more(2048)) return;
  }
}

static void missing_names(void) {
  char path[256];
  struct stat status;
  for (long i = 0; more(512); i++) {
    snprintf(path, sizeof path, "/usr/%0200ld-%d", i, getpid());
    stat(path, &status);
  }
}

static void landlock_rules(void) {
  struct landlock_ruleset_attr wanted = {.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE};
  char path[32];
  for (int set; (set = syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0)) >= 0;) {
    for (int i = 0; i < 200; i++) {
      snprintf(path, sizeof path, "/tmp/%d-%d", getpid(), i);
      int fd = open(path, O_RDWR | O_CREAT, 0600);
      struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE, .parent_fd = fd};
      int added = syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
      close(fd);
      if (added < 0 || !more(512)) return;
    }
  }
}

static void proc_files(void) {
  char text[64];
  for (int fd; (fd = open("/proc/self/maps", O_RDONLY)) >= 0 && more(8192);) read(fd, text, sizeof text);
}
