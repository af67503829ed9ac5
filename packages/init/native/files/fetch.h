/* Sends files to the host, as fast as the host reads. */
#ifndef ISOPOD_FETCH_H
#define ISOPOD_FETCH_H

#include <stdint.h>

/* Queues the head of the answer; fetch_pump sends the content. `path` is modified. */
void fetch_begin(char *path, uint32_t max);
void fetch_refuse(int error);
/* Keeps a request until the end of the current run. Returns whether it is the first one. */
int fetch_later(const char *path, uint32_t max);
/* Begins the request that was kept, if any. */
void fetch_kept(void);
void fetch_pump(void);
/* No other frame may be queued while this is true. */
int fetch_active(void);

#endif
