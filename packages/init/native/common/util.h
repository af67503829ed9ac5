/* Functions that most files of init use: the clock, numbers in frames, small files, directories. */
#ifndef ISOPOD_UTIL_H
#define ISOPOD_UTIL_H

#include <stddef.h>
#include <stdint.h>

/* A value that could not be read. */
#define UNKNOWN (-1)

int64_t now_us(void);
uint16_t get_u16(const unsigned char *bytes);
uint32_t get_u32(const unsigned char *bytes);
void put_u32(unsigned char *bytes, uint32_t value);

/* Reads a small file whole and adds a NUL; returns the number of bytes, or -1. */
long read_small(const char *path, char *buffer, size_t size);

/* Calls `each` for every entry of a directory until it returns non-zero; returns that, 0, or -1 with errno. */
int each_entry(int directory, char *buffer, size_t size, int (*each)(const char *name, unsigned char type, void *context),
               void *context);

#endif
