/*
 * A process that is started ahead and waits just before it opens its main file: for a byte on its control socket, or,
 * with a main file that is a pipe, for the file itself. With forks the process that was started stays, and each run is
 * a fork of it that waits in the same way.
 */
#ifndef ISOPOD_PRELOAD_H
#define ISOPOD_PRELOAD_H

#include <stdint.h>

#include "process/child.h"

/* Starts one and answers; `main_file` is a plain name in the workspace, empty for a control socket. */
void preload_start(const struct exec_request *request, const char *main_file);
/* Has a process wait for this very command: 0, or an errno. */
int preload_await(const struct exec_request *request);
/* Lets the process that waits go; it is the main one from here on. Sets its limit of open files; 0 or an errno. */
int preload_go(const struct exec_request *request, int64_t *limit);
/* Ends what waits. */
void preload_drop(void);
/* After everybody else was killed: closes what the one that waited was given. */
void preload_let_go(void);
/* Then: what is wrong with the process that forks, NULL for nothing; asks for the next fork. */
const char *preload_refork(void);

/* The pipe that wants to be written to, -1 for none. */
int preload_fd(void);
/* Passes the main file on. */
void preload_feed(void);

#endif
