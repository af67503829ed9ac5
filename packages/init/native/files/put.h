/* Writes files from the host as their bytes arrive. */
#ifndef ISOPOD_PUT_H
#define ISOPOD_PUT_H

#include <stddef.h>
#include <sys/types.h>

/* `path` is modified; a failure is reported by put_end. */
void put_begin(char *path, mode_t mode, size_t length);
void put_refuse(int error);
void put_bytes(const unsigned char *bytes, size_t length);
/* Reports a failure to the host. */
void put_end(void);
/* True once after a put has failed: a program must not start with half of its files. */
int put_take_failure(void);

#endif
