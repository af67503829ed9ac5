#define _GNU_SOURCE
#include "steps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "file_systems.h"
#include "namespaces.h"
#include "privileges.h"

#define MAX_WORDS 1024
#define MAX_VALUES 3

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

/* The highest number means "unchanged" to the kernel, and so the spawner's own. */
static unsigned int user_number(const char *text) {
  unsigned long value = number(text);
  errno = ERANGE;
  if (value >= UINT_MAX) fail("become user", text);
  return (unsigned int)value;
}

static void join_cgroup(char **values) {
  write_file(values[0], "0");
}

static void unshare_namespaces(char **values) {
  make_namespaces(values[0]);
}

static void take_filter(char **values) {
  read_filter(values[0]);
}

static void set_limit(char **values) {
  rlim_t value = number(values[1]);
  struct rlimit both = {value, value};
  if (setrlimit((int)number(values[0]), &both) < 0) fail("set limit", values[0]);
}

static void set_host_name(char **values) {
  if (sethostname(values[0], strlen(values[0])) < 0) fail("set host name", values[0]);
}

static void change_root(char **values) {
  enter_root(values[0]);
}

static void change_user(char **values) {
  uid_t uid = user_number(values[0]);
  become_user(uid, user_number(values[1]));
}

static void drop_all_capabilities(char **values) {
  (void)values;
  drop_capabilities();
}

static const struct {
  const char *word;
  int values;
  void (*act)(char **values);
} STEPS[] = {
    {"cgroup", 1, join_cgroup},
    {"unshare", 1, unshare_namespaces},
    {"filter", 1, take_filter},
    {"limit", 2, set_limit},
    {"overlay", 3, mount_overlay},
    {"bind", 3, bind_mount},
    {"tmpfs", 3, mount_tmpfs},
    {"proc", 1, mount_proc},
    {"directory", 1, make_directory},
    {"device", 2, make_device},
    {"link", 2, make_link},
    {"restrict", 2, restrict_mount},
    {"hostname", 1, set_host_name},
    {"root", 1, change_root},
    {"user", 2, change_user},
    {"drop-capabilities", 0, drop_all_capabilities},
};
#define STEP_COUNT (sizeof STEPS / sizeof *STEPS)

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
  confine();
  execve(words[0], words, (char *[]){NULL});
  fail("start", words[0]);
}

void carry_out(int from) {
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
