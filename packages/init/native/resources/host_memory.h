/* What the whole host's kernel tells of its memory. */
#ifndef ISOPOD_HOST_MEMORY_H
#define ISOPOD_HOST_MEMORY_H

#include <stdint.h>

struct host_memory {
  int64_t unnamed_bytes; /* neither free nor named: of no process and no file, no kernel object and no table */
  int64_t object_bytes;  /* of kernel objects that stay as long as they are used */
};

/* All 0 where it cannot be read. */
struct host_memory host_memory(void);

#endif
