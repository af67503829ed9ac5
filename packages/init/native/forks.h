/* The process that forks: what init says to it, and hears from its forks. */
#ifndef ISOPOD_FORKS_H
#define ISOPOD_FORKS_H

#include <stdint.h>
#include <sys/types.h>

/* Waits for the one byte that says «here I wait»; 0 or an errno. `from`, if wanted, is who said it by the kernel's word. */
int forks_word(int fd, int64_t deadline_us, pid_t *from);

/* From here on the process at the other end forks. */
void forks_open(int fd);
int forks_opened(void);
void forks_close(void);
/* Whether the process is there and listens. */
int forks_fit(void);
/* Lays the pipes of a run and asks for a fork that waits on them; 0 or an errno. */
int forks_ask(void);
/* Waits for the fork, asking for it if nobody has; sets `control` to the socket that lets it go. */
int forks_await(int *control);

#endif
