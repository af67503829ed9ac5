/* The process that forks: what init says to it, and hears from its forks. */
#ifndef ISOPOD_ZYGOTE_H
#define ISOPOD_ZYGOTE_H

#include <stdint.h>
#include <sys/types.h>

/* Waits for the one byte that says «here I wait»; 0 or an errno. `from`, if wanted, is who said it by the kernel's word. */
int zygote_await_word(int fd, int64_t deadline_us, pid_t *from);

/* From here on the process at the other end forks. */
void zygote_open(int fd);
int zygote_is_open(void);
void zygote_close(void);
/* Whether the process is there and listens. */
int zygote_is_healthy(void);
/* Lays the pipes of a run and asks for a fork that waits on them; 0 or an errno. */
int zygote_request_fork(void);
/* Waits for the fork, asking for it if nobody has; sets `control` to the socket that lets it go. */
int zygote_await_fork(int *control);

#endif
