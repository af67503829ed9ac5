/* The queue of frames to the host: a ring buffer, written without blocking. */
#ifndef ISOPOD_FRAME_WRITER_H
#define ISOPOD_FRAME_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* While this many bytes are queued, the program's pipes and fetched files are not read. */
#define WRITER_FULL (256u * 1024)
/* Room reserved for frames that cannot wait. */
#define WRITER_RESERVE (16u * 1024)

size_t writer_pending(void);
/* Lets frames wait for more of them, for a moment in all. */
void writer_hold(void);
void writer_release(void);
/* Whether frames are to be written now. */
int writer_is_due(void);
/* When frames that wait for more are to be written; -1 if there are none. */
int64_t writer_next_us(void);
/* True when only the reserve is left: no further frames of the host may be handled. */
int writer_at_reserve(void);
/* Queues a small frame. The caller has checked writer_at_reserve. */
void write_frame(unsigned char type, const void *payload, size_t length);
/* Queues bytes of a frame whose header is queued already, or the header itself. */
void write_bytes(const void *bytes, size_t length);
/*
 * Reads up to `max` bytes from fd and queues them as one frame, after a short prefix. Returns what read() returned; queues
 * nothing unless that is positive.
 */
ssize_t write_stream(unsigned char type, const void *prefix, size_t prefix_length, int fd, size_t max);
/* The latest `length` bytes in the queue, as one or two pieces; returns how many. */
int writer_last(struct iovec parts[2], size_t length);
/* Reads up to `max` bytes from fd and queues them without a header. */
ssize_t write_from(int fd, size_t max);
/* Writes as much as the host takes now; -1 when the host is gone. */
int writer_flush(void);
/* Writes all queued bytes, for at most `milliseconds`. */
void writer_flush_within(int milliseconds);

#endif
