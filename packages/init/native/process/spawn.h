/* Starts a process with its own pipes. */
#ifndef ISOPOD_SPAWN_H
#define ISOPOD_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

#include "process/child.h"

/*
 * Makes the pipes and starts the process; 0, or the errno that stopped it, negative if the kernel refused to confine it. Sets
 * `pid` as soon as there is one, and `held` to the limits that the kernel reports. For `control` see `child_run`.
 */
int spawn(const struct exec_request *request, int control, pid_t *pid, struct process_limits *held);

#endif
