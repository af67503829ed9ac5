/*
 * A process that is started ahead and waits just before it opens its main file: for a byte on its control socket, or for the
 * main file itself, which is a pipe. With `forks` the started process stays as the zygote, and each run is a fork of it that
 * waits in the same way.
 */
#ifndef ISOPOD_PRELOAD_H
#define ISOPOD_PRELOAD_H

#include <stdint.h>

#include "process/child.h"

/* Starts it and answers the host; `main_file` is a plain name in the workspace, empty for a control socket. */
void preload_start(const struct exec_request *request, const char *main_file);
/* Makes sure that a process waits for exactly this command; 0 or an errno. */
int preload_await(const struct exec_request *request);
/* Starts the waiting process as the run's main process and sets `limits` to those it has; 0 or an errno. */
int preload_go(const struct exec_request *request, struct process_limits *limits);
/* Ends the waiting process and the zygote. */
void preload_drop(void);
/* Closes the descriptors of a waiting process that was killed. */
void preload_close(void);
/* Asks the zygote, if there is one, for the next fork; NULL, or a word for the host if the zygote is broken. */
const char *preload_refork(void);

/* The pipe of the main file while it has to be written, else -1. */
int preload_fd(void);
/* Writes the main file into its pipe. */
void preload_feed(void);

#endif
