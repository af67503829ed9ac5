/* The whole host's kernel memory, from /proc/meminfo. */
#ifndef ISOPOD_HOST_MEMORY_H
#define ISOPOD_HOST_MEMORY_H

#include <stdint.h>

struct host_memory {
  int64_t unnamed_bytes; /* in use, but in none of the kernel's categories */
  int64_t object_bytes;  /* of kernel objects that cannot be reclaimed */
};

/* All 0 if it cannot be read. */
struct host_memory host_memory(void);

#endif
