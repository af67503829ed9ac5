static char data[1 << 18];

static void fill(int fd, int size) {
  fcntl(fd, F_SETFL, O_NONBLOCK);
  while (write(fd, data, size) > 0 && more(size)) continue;
}

static void unix_pairs(int type, int size) {
  int ends[2], large = 1 << 30;
  while (socketpair(AF_UNIX, type, 0, ends) == 0 && more(1024)) {
    for (int i = 0; i < 2; i++) setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &large, sizeof large), fill(ends[i], size);
  }
}

static void unix_streams(void) { unix_pairs(SOCK_STREAM, 65536); }
static void unix_datagrams(void) { unix_pairs(SOCK_DGRAM, 1); }

static void unix_connections(void) {
  struct sockaddr_un own = {.sun_family = AF_UNIX};
  snprintf(own.sun_path + 1, 32, "%d", getpid());
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (void *)&own, sizeof own) < 0 || listen(listener, 1 << 16) < 0) return;
  for (;;) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (void *)&own, sizeof own) < 0 || !more(2048)) return;
    close(fd);
  }
}

static void in_flight(void) {
  int ends[2], files[200], count = 0;
  for (count = 0; count < 200 && (files[count] = eventfd(0, 0)) >= 0; count++) continue;
  while (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0) {
    for (int i = 0; i < 200; i++) {
      char control[CMSG_SPACE(sizeof(int) * 200)] = {0};
      struct iovec part = {"x", 1};
      struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
      struct cmsghdr *head = CMSG_FIRSTHDR(&message);
      *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int) * count), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
      memcpy(CMSG_DATA(head), files, sizeof(int) * count);
      if (sendmsg(ends[0], &message, MSG_DONTWAIT) < 0) break;
      if (!more(4096)) return;
    }
    close(ends[0]), close(ends[1]);
    /* The next message gets new descriptors. */
    for (int i = 0; i < count; i++) close(files[i]), files[i] = eventfd(0, 0);
  }
}

static int listener(int family, struct sockaddr_storage *at, socklen_t *size) {
  memset(at, 0, sizeof *at);
  at->ss_family = family;
  *size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
  if (family == AF_INET) ((struct sockaddr_in *)at)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else ((struct sockaddr_in6 *)at)->sin6_addr = in6addr_loopback;
  int fd = socket(family, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (void *)at, *size) < 0 || listen(fd, 1 << 16) < 0) return -1;
  return getsockname(fd, (void *)at, size) < 0 ? -1 : fd;
}

static void connections(int family, int accepting, int closing, int size) {
  struct sockaddr_storage at;
  socklen_t length;
  for (int fd; (fd = listener(family, &at, &length)) >= 0;) {
    for (int i = 0; i < 4000; i++) {
      int out = socket(family, SOCK_STREAM, 0);
      if (out < 0 || connect(out, (void *)&at, length) < 0 || !more(4096)) return;
      if (closing) write(out, data, size), close(out);
      else fill(out, size);
      if (accepting && accept(fd, NULL, NULL) < 0) return;
    }
  }
}

static void tcp_unread(void) { connections(AF_INET, 1, 0, sizeof data); }
static void tcp_unaccepted(void) { connections(AF_INET, 0, 0, sizeof data); }
static void tcp_closed(void) { connections(AF_INET, 0, 1, 32768); }
static void tcp6_closed(void) { connections(AF_INET6, 0, 1, 1); }

static void listeners(void) {
  struct sockaddr_storage at;
  socklen_t length;
  while (listener(AF_INET, &at, &length) >= 0 && more(4096)) continue;
}

static void udp_unread(void) {
  struct sockaddr_in at = {.sin_family = AF_INET};
  socklen_t length = sizeof at;
  int out = socket(AF_INET, SOCK_DGRAM, 0), large = 1 << 30;
  for (;;) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    at.sin_port = 0, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (void *)&at, length) < 0 || getsockname(fd, (void *)&at, &length) < 0) return;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
    for (int i = 0; i < 200; i++) {
      if (sendto(out, data, 60000, MSG_DONTWAIT, (void *)&at, length) < 0 || !more(65536)) return;
    }
  }
}

/* A connection for data that only fills up a buffer of the kernel (`use_up`), and is read again at once. */
static int through[2];

static int connected(int ends[2]) {
  struct sockaddr_storage at;
  socklen_t length;
  int fd = listener(AF_INET, &at, &length), now = 1;
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(ends[0], (void *)&at, length) < 0) return -1;
  setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
  ends[1] = accept(fd, NULL, NULL);
  return close(fd), ends[1] < 0 ? -1 : 0;
}

/*
 * The kernel copies the data that a process sends over all of its sockets into a buffer of 32 KiB, one piece after the other.
 * Fills the rest of this buffer, so that the next piece needs a new one.
 */
static int use_up(void) {
  ssize_t got;
  if (write(through[0], data, 32767) != 32767) return -1;
  for (int left = 32767; left > 0; left -= got) if ((got = read(through[1], data, left)) <= 0) return -1;
  return 0;
}

static void tcp_pieces(void) {
  int ends[2];
  if (connected(through) < 0) return;
  while (connected(ends) == 0) {
    while (send(ends[0], "x", 1, MSG_DONTWAIT) == 1) if (use_up() < 0 || !more(32768)) return;
  }
}

static void udp_pieces(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof at;
  if (connected(through) < 0) return;
  for (;;) {
    int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
    at.sin_port = 0;
    if (out < 0 || bind(in, (void *)&at, length) < 0 || getsockname(in, (void *)&at, &length) < 0) return;
    if (connect(out, (void *)&at, length) < 0) return;
    for (int i = 1; i <= 150 * 15; i++) {
      if (send(out, "x", 1, i % 15 == 0 ? 0 : MSG_MORE) != 1 || use_up() < 0 || !more(32768)) return;
    }
  }
}

static ssize_t by_splice(int from, int to) { return splice(from, NULL, to, NULL, 1, 0); }
static ssize_t by_sendfile(int from, int to) { return sendfile(to, from, NULL, 1); }

static void pieces_in_pipes(ssize_t (*move)(int from, int to)) {
  int ends[2], pipes[2];
  if (connected(through) < 0 || connected(ends) < 0) return;
  while (pipe2(pipes, O_NONBLOCK) == 0) {
    while (send(ends[0], "x", 1, 0) == 1 && move(ends[1], pipes[1]) == 1) {
      if (use_up() < 0 || !more(32768)) return;
    }
    if (errno != EAGAIN) return;
    while (recv(ends[1], data, 1, MSG_DONTWAIT) > 0) continue;
  }
}

static void spliced_pieces(void) { pieces_in_pipes(by_splice); }
static void sent_pieces(void) { pieces_in_pipes(by_sendfile); }

/* Sends each byte as a record, for which the kernel allocates a buffer of a thousand times that size. */
static void tcp_records(void) {
  int ends[2];
  while (connected(ends) == 0 && more(4096)) {
    while (send(ends[0], "x", 1, MSG_DONTWAIT | MSG_EOR) == 1) if (!more(1536)) return;
  }
}
