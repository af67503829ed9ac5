/* The start of a process on pipes of its own. */
#ifndef ISOPOD_SPAWN_H
#define ISOPOD_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

#include "process/child.h"

/*
 * Lays the pipes and starts the process; 0, or the errno that stopped it, negative for one with which the kernel refused to
 * confine it. `pid` is set as soon as there is one, and
 * `open_files` to the limit that the kernel has of it. `control` is handed on, -1 for none.
 */
int spawn(const struct exec_request *request, int control, pid_t *pid, int64_t *open_files);

#endif
