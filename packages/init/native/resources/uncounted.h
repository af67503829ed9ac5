/* Estimates memory of the container's sockets that the kernel charges to no cgroup. */
#ifndef ISOPOD_UNCOUNTED_H
#define ISOPOD_UNCOUNTED_H

#include <stdint.h>

/* When to call uncounted_excess again, on the clock of now_us. */
int64_t uncounted_next_us(void);
/* Records the host's kernel memory before a run. */
void uncounted_begin(void);
/* Whether sockets hold more memory than the cgroup has left. Checks only when it is due. */
int uncounted_excess(int64_t now);

#endif
