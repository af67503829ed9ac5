/* Files to the host, sent as the host takes them. */
#ifndef ISOPOD_FETCH_H
#define ISOPOD_FETCH_H

#include <stdint.h>

/* Queues the head of the answer; the content follows by fetch_pump. `path` is cut. */
void fetch_begin(char *path, uint32_t most);
void fetch_refuse(int error);
void fetch_pump(void);
/* No other frame may be queued while this is true. */
int fetch_active(void);

#endif
