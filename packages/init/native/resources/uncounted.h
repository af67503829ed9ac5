/* Memory of the container's sockets that the kernel charges to no cgroup. */
#ifndef ISOPOD_UNCOUNTED_H
#define ISOPOD_UNCOUNTED_H

#include <stdint.h>

/* When uncounted_excess should be asked again, on the clock of now_us; at once after the start. */
int64_t uncounted_next_us(void);
/* Notes what the host's kernel holds before a run. */
void uncounted_begin(void);
/* Whether sockets hold more than the cgroup would still grant. Looks only when its time has come. */
int uncounted_excess(int64_t now);

#endif
