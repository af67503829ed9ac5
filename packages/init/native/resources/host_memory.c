#define _GNU_SOURCE
#include "resources/host_memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/util.h"

/* Memory outside of these categories is pages that the kernel took for itself, such as those of sockets and pipes. */
static const char *const NAMED[] = {
    "MemFree:", "Active:", "Inactive:", "Unevictable:", "Slab:", "PageTables:", "Percpu:", "VmallocUsed:", "Hugetlb:", "Balloon:",
};

static int64_t kilobytes(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, name, length) == 0) return strtoll(line + length, NULL, 10);
  }
  return 0;
}

struct host_memory host_memory(void) {
  char text[8192];
  struct host_memory memory = {0, 0};
  if (read_small("/proc/meminfo", text, sizeof text) < 0) return memory;
  int64_t left = kilobytes(text, "MemTotal:");
  for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++) left -= kilobytes(text, NAMED[i]);
  memory.unnamed_bytes = left > 0 ? left * 1024 : 0;
  memory.object_bytes = kilobytes(text, "SUnreclaim:") * 1024;
  return memory;
}
