/* The zygote: an interpreter that has started already and forks once per run. */
#ifndef ISOPOD_ZYGOTE_H
#define ISOPOD_ZYGOTE_H

#include <stdint.h>
#include <sys/types.h>

/* Waits for the byte with which a process says that it is ready; 0 or an errno. Sets `from`, unless NULL, to the sender's pid. */
int zygote_await_ready(int fd, int64_t deadline_us, pid_t *from);

/* Takes the socket of the zygote. */
void zygote_open(int fd);
int zygote_is_open(void);
void zygote_close(void);
/* Whether the zygote runs and is neither stopped nor a zombie. */
int zygote_is_healthy(void);
/* Makes the pipes of a run and asks for a fork that uses them; 0 or an errno. */
int zygote_request_fork(void);
/* Waits for the fork, after asking for one if need be; sets `control` to the socket that starts it. 0 or an errno. */
int zygote_await_fork(int *control);

#endif
