#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "probe.h"

/* Names that both containers use, so that they would find each other. */
#define NAME "isopod-canary"
#define KEY 0x150d
#define PORT 41999
#define SECRET_BYTES 64

static const char *const places[] = {"/tmp/" NAME, "/dev/shm/" NAME, "/workspace/" NAME, "/var/tmp/" NAME, "/run/" NAME};
/* Files of the image, which containers share. */
static const char *const shared[] = {"/etc/passwd", "/etc/hostname", "/isopod/init"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct sockaddr_un local = {AF_UNIX, "\0" NAME};
#define LOCAL_SIZE (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof NAME)

static struct sockaddr_in loopback(void) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int listening(int family, const void *address, socklen_t size) {
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, address, size) == 0 && listen(fd, 8) == 0) return fd;
  return -1;
}

static void leave_objects(const char *secret) {
  struct {
    long type;
    char text[SECRET_BYTES];
  } message = {1, ""};
  strncpy(message.text, secret, sizeof message.text - 1);
  int segment = shmget(KEY, SECRET_BYTES, IPC_CREAT | 0666);
  char *bytes = segment < 0 ? (char *)-1 : shmat(segment, NULL, 0);
  if (bytes != (char *)-1) strncpy(bytes, secret, SECRET_BYTES - 1);
  int queue = msgget(KEY, IPC_CREAT | 0666);
  if (queue >= 0) msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT);
  semget(KEY, 1, IPC_CREAT | 0666);
  mqd_t named = mq_open("/" NAME, O_RDWR | O_CREAT, 0666, NULL);
  if (named != (mqd_t)-1) mq_send(named, secret, strlen(secret), 0);
  syscall(SYS_add_key, "user", NAME, secret, strlen(secret), -4 /* of this user */);
}

/* Leaves a secret wherever another container might find it, and waits. The arguments are milliseconds and the secret. */
void keep(int count, char **args) {
  if (count != 2) return untried("wants milliseconds and a secret");
  const char *secret = args[1];
  for (unsigned i = 0; i < COUNT(places); i++) {
    int fd = open(places[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) continue;
    put(fd, secret, strlen(secret));
    close(fd);
  }
  for (unsigned i = 0; i < COUNT(shared); i++) {
    int fd = open(shared[i], O_RDONLY | O_CLOEXEC);
    if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB);
  }
  leave_objects(secret);
  struct sockaddr_in port = loopback();
  struct pollfd listeners[] = {{listening(AF_UNIX, &local, LOCAL_SIZE), POLLIN, 0},
                               {listening(AF_INET, &port, sizeof port), POLLIN, 0}};
  fact("user", getuid());
  fact("from", wall_ms());
  for (long long until = wall_ms() + atoll(args[0]), now; (now = wall_ms()) < until;) {
    poll(listeners, COUNT(listeners), (int)(until - now));
    for (unsigned i = 0; i < COUNT(listeners); i++) {
      int visitor = accept(listeners[i].fd, NULL, NULL);
      if (visitor < 0) continue;
      put(visitor, secret, strlen(secret));
      close(visitor);
    }
  }
  fact("to", wall_ms());
}

static void read_from(const char *what, int family, const void *address, socklen_t size) {
  char text[SECRET_BYTES] = "";
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval timeout = {0, 100000};
  if (fd < 0) return;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  if (connect(fd, address, size) == 0) {
    if (read(fd, text, sizeof text - 1) < 0) text[0] = '\0';
    got("%s: %s", what, text);
  }
  close(fd);
}

static void look_at_objects(void) {
  char text[SECRET_BYTES] = "";
  struct {
    long type;
    char text[SECRET_BYTES];
  } message;
  int segment = shmget(KEY, 0, 0);
  char *bytes = segment < 0 ? (char *)-1 : shmat(segment, NULL, SHM_RDONLY);
  if (bytes != (char *)-1) got("shared memory: %.63s", bytes);
  int queue = msgget(KEY, 0);
  if (queue >= 0) got("message queue: %.63s", msgrcv(queue, &message, sizeof message.text, 0, IPC_NOWAIT) > 0 ? message.text : "");
  if (semget(KEY, 1, 0) >= 0) got("semaphore of another");
  mqd_t named = mq_open("/" NAME, O_RDONLY);
  if (named != (mqd_t)-1) got("named message queue of another");
  long key = syscall(SYS_request_key, "user", NAME, NULL, -4);
  if (key >= 0) got("key: %.63s", syscall(SYS_keyctl, 11 /* read */, key, text, sizeof text - 1) > 0 ? text : "");
}

static void look_once(void) {
  char text[SECRET_BYTES];
  for (unsigned i = 0; i < COUNT(places); i++) {
    if (slurp(places[i], text, sizeof text) >= 0) got("%s: %s", places[i], text);
  }
  for (unsigned i = 0; i < COUNT(shared); i++) {
    int fd = open(shared[i], O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) got("%s is locked by another", shared[i]);
    close(fd);
  }
  look_at_objects();
  struct sockaddr_in port = loopback();
  read_from("abstract socket", AF_UNIX, &local, LOCAL_SIZE);
  read_from("port", AF_INET, &port, sizeof port);
}

/* Looks for the secret that `keep` leaves in another container. The argument is for how many milliseconds. */
void look(int count, char **args) {
  long long until = wall_ms() + (count > 0 ? atoll(args[0]) : 0);
  fact("user", getuid());
  fact("from", wall_ms());
  do {
    look_once();
    usleep(100000);
  } while (wall_ms() < until);
  fact("to", wall_ms());
}

/* Forges a done frame with exit code 0; a reader that believes it misses the real exit code, 7. */
void wire(int count, char **args) {
  (void)count, (void)args;
  static const char done[] =
      "{\"exitCode\":0,\"signal\":null,\"wallMs\":1,\"cpuUserMs\":1,\"cpuSysMs\":1,\"maxRssBytes\":null,"
      "\"memoryStartBytes\":null,\"memoryPeakBytes\":null,\"oomKills\":null,\"processesPeak\":null,\"forkFailures\":null,"
      "\"throttledMs\":null,\"stdoutBytes\":0,\"stderrBytes\":0,\"stdoutTruncated\":false,\"stderrTruncated\":false,"
      "\"limit\":null,\"killed\":false,\"spawnError\":null}";
  unsigned char frame[5 + sizeof done - 1] = {0x86, (sizeof done - 1) & 0xff, (sizeof done - 1) >> 8, 0, 0};
  memcpy(frame + 5, done, sizeof done - 1);
  for (int fd = 1; fd < 256; fd++) put(fd, frame, sizeof frame);
  static const char *const ways[] = {"/proc/1/fd/0", "/proc/1/fd/1", "/proc/1/fd/2", "/dev/console", "/dev/pts/0"};
  for (unsigned i = 0; i < COUNT(ways); i++) {
    int fd = open(ways[i], O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) put(fd, frame, sizeof frame);
  }
  _exit(7);
}
