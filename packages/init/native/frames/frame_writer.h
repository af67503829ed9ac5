/* The queue of frames to the host: one ring, written without ever blocking. */
#ifndef ISOPOD_FRAME_WRITER_H
#define ISOPOD_FRAME_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* From here on the program's pipes and fetched files wait for the host. */
#define WRITER_FULL (256u * 1024)
/* Room that is left for frames that cannot wait. */
#define WRITER_RESERVE (16u * 1024)

size_t writer_pending(void);
/* True when so little room is left that no more may be asked of us. */
int writer_crowded(void);
/* Queues a small frame; the caller sees to the room by writer_crowded. */
void write_frame(unsigned char type, const void *payload, size_t length);
/* Queues bytes that belong to no frame or to one begun before. */
void write_bytes(const void *bytes, size_t length);
/*
 * Reads up to `most` bytes from fd into a frame of their own, behind a prefix of a few; what read() gave, with nothing
 * queued unless positive.
 */
ssize_t write_stream(unsigned char type, const void *prefix, size_t prefix_length, int fd, size_t most);
/* Reads up to `most` bytes from fd as they are. */
ssize_t write_from(int fd, size_t most);
/* Writes what the host takes now; -1 when the host is gone. */
int writer_flush(void);
/* Writes all, for at most that long. */
void writer_flush_within(int milliseconds);

#endif
