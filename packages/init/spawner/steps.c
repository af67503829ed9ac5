#define _GNU_SOURCE
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Descriptor from which bubblewrap reads the filter. */
#define FILTER 3
#define MAX_WORDS 1024
#define MAX_VALUES 3

/* The kernel's metrics of ended connections would outlast a reset, in one table for all sandboxes. */
#define NO_TCP_METRICS "/proc/sys/net/ipv4/tcp_no_metrics_save"

static uid_t uid;
static gid_t gid;

_Noreturn static void fail(const char *what, const char *name) {
  dprintf(STDERR_FILENO, "cannot %s %s: %s\n", what, name, strerror(errno));
  _exit(EXIT_NOT_STARTED);
}

static unsigned long number(const char *text) {
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  /* strtoul takes signs and spaces, too. */
  if (errno != 0 || *text < '0' || *text > '9' || *end != '\0') {
    errno = EINVAL;
    fail("read the number", text);
  }
  return value;
}

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) fail("write", path);
  close(file);
}

static unsigned long flags_of(const char *words) {
  unsigned long flags = MS_NOSUID;
  if (strstr(words, "device") == NULL) flags |= MS_NODEV;
  if (strstr(words, "noexec") != NULL) flags |= MS_NOEXEC;
  if (strstr(words, "readonly") != NULL) flags |= MS_RDONLY;
  return flags;
}

static void join(char **values) {
  write_file(values[0], "0");
}

static void open_filter(char **values) {
  int file = open(values[0], O_RDONLY | O_CLOEXEC);
  if (file < 0 || dup2(file, FILTER) < 0) fail("open", values[0]);
  if (file == FILTER) fcntl(file, F_SETFD, 0);
  else close(file);
}

/* The highest number means "unchanged" to the kernel, and so the spawner's own. */
static unsigned int user_number(const char *text) {
  unsigned long value = number(text);
  errno = ERANGE;
  if (value >= UINT_MAX) fail("become user", text);
  return (unsigned int)value;
}

static void choose_user(char **values) {
  uid = user_number(values[0]);
  gid = user_number(values[1]);
}

static void limit(char **values) {
  rlim_t value = number(values[1]);
  struct rlimit both = {value, value};
  if (setrlimit((int)number(values[0]), &both) < 0) fail("set limit", values[0]);
}

static void bring_up_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) < 0) fail("bring up", "lo");
  close(any);
}

/* Mounts and the network belong to this process and its children, and end with them. */
static void unshare_namespaces(char **values) {
  (void)values;
  /* Without root, a user namespace gives the right to the others. */
  int is_root = geteuid() == 0;
  if (unshare(CLONE_NEWNS | CLONE_NEWNET | (is_root ? 0 : CLONE_NEWUSER)) < 0) fail("unshare", "namespaces");
  if (!is_root) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", uid, uid);
    snprintf(groups, sizeof groups, "%u %u 1\n", gid, gid);
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", users);
    write_file("/proc/self/gid_map", groups);
  }
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail("make private", "/");
  bring_up_loopback();
  write_file(NO_TCP_METRICS, "1");
}

static void mount_overlay(char **values) {
  char options[8192];
  int length = snprintf(options, sizeof options, "lowerdir=%s:%s", values[0], values[1]);
  if (length < 0 || (size_t)length >= sizeof options) errno = ENAMETOOLONG;
  else if (mount("overlay", values[2], "overlay", MS_NOSUID | MS_NODEV | MS_RDONLY, options) == 0) return;
  fail("mount over", values[2]);
}

static void bind_mount(char **values) {
  if (mount(values[0], values[1], NULL, MS_BIND, NULL) < 0) fail("bind", values[0]);
  if (mount(NULL, values[1], NULL, MS_BIND | MS_REMOUNT | flags_of(values[2]), NULL) < 0) fail("restrict", values[1]);
}

static void mount_tmpfs(char **values) {
  if (mount("tmpfs", values[0], "tmpfs", flags_of(values[2]), values[1]) < 0) fail("mount", values[0]);
}

static void make_directory(char **values) {
  if (mkdir(values[0], 0755) < 0) fail("make", values[0]);
}

static void make_file(char **values) {
  int file = open(values[0], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) fail("make", values[0]);
  close(file);
}

/* A device of the sandbox's own; where the kernel allows none, as in a user namespace, the host's. */
static void make_device(char **values) {
  struct stat found;
  if (stat(values[0], &found) < 0) fail("find", values[0]);
  if (mknod(values[1], S_IFCHR, found.st_rdev) == 0) {
    if (chmod(values[1], 0666) < 0) fail("share", values[1]);
    return;
  }
  if (errno != EPERM) fail("make", values[1]);
  char *target[] = {values[1]}, *bind[] = {values[0], values[1], "noexec,device"};
  make_file(target);
  bind_mount(bind);
}

static void make_link(char **values) {
  if (symlink(values[0], values[1]) < 0) fail("make", values[1]);
}

static void restrict_mount(char **values) {
  if (mount(NULL, values[0], NULL, MS_BIND | MS_REMOUNT | flags_of(values[1]), NULL) < 0) fail("restrict", values[0]);
}

static const struct {
  const char *word;
  int values;
  void (*act)(char **values);
} STEPS[] = {
    {"cgroup", 1, join},           {"filter", 1, open_filter},    {"user", 2, choose_user},
    {"limit", 2, limit},           {"unshare", 0, unshare_namespaces}, {"overlay", 3, mount_overlay},
    {"bind", 3, bind_mount},       {"tmpfs", 3, mount_tmpfs},     {"directory", 1, make_directory},
    {"device", 2, make_device},    {"link", 2, make_link},        {"restrict", 2, restrict_mount},
};
#define STEP_COUNT (sizeof STEPS / sizeof *STEPS)

static void become_user(void) {
  if (geteuid() != 0) return;
  if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) fail("become", "the user");
}

/* A request, read to the end of its last word. Nothing may follow it before init is there. */
static char request[64 * 1024];
static size_t received, consumed;

static char *next_word(int from) {
  char *word = request + consumed, *end;
  while ((end = memchr(word, '\0', received - consumed)) == NULL) {
    errno = EMSGSIZE;
    if (received == sizeof request) fail("read", "a request");
    ssize_t got = read(from, request + received, sizeof request - received);
    /* The worker needs it no more. */
    if (got == 0) _exit(EXIT_SUCCESS);
    if (got < 0) fail("read", "a request");
    received += (size_t)got;
    word = request + consumed;
  }
  consumed += (size_t)(end - word) + 1;
  return word;
}

_Noreturn static void become_program(int from) {
  static char *words[MAX_WORDS + 1];
  size_t count = 0;
  for (char *word; *(word = next_word(from)) != '\0';) {
    errno = E2BIG;
    if (count == MAX_WORDS) fail("start", words[0]);
    words[count++] = word;
  }
  errno = EPROTO;
  if (count == 0 || consumed != received) fail("end", "a request");
  become_user();
  execv(words[0], words);
  fail("start", words[0]);
}

void carry_out(int from) {
  uid = getuid();
  gid = getgid();
  umask(022);
  for (;;) {
    char *values[MAX_VALUES], *word = next_word(from);
    size_t step = 0;
    if (strcmp(word, "--") == 0) become_program(from);
    while (step < STEP_COUNT && strcmp(word, STEPS[step].word) != 0) step++;
    errno = EINVAL;
    if (step == STEP_COUNT) fail("understand", word);
    for (int i = 0; i < STEPS[step].values; i++) values[i] = next_word(from);
    STEPS[step].act(values);
  }
}
