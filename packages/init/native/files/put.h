/* Files from the host, written as they come. */
#ifndef ISOPOD_PUT_H
#define ISOPOD_PUT_H

#include <stddef.h>
#include <sys/types.h>

/* `path` is cut; a failure is remembered until put_end. */
void put_begin(char *path, mode_t mode, size_t length);
void put_refuse(int error);
void put_bytes(const unsigned char *bytes, size_t length);
/* Reports what went wrong, if anything. */
void put_end(void);
/* True once after a put has failed: a program must not start on half of its files. */
int put_take_failure(void);

#endif
