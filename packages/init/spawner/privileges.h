#ifndef PRIVILEGES_H
#define PRIVILEGES_H

#include <sys/types.h>

/* Becomes a user, if this process is root. */
void become_user(uid_t uid, gid_t gid);

/* Drops all capabilities, also from the bounding set. */
void drop_capabilities(void);

/* Reads the seccomp filter of the program: an array of struct sock_filter. */
void read_filter(const char *path);

/* Takes the right to more privileges from this process, and installs the filter, if one was read. */
void confine(void);

#endif
