#ifndef NAMESPACES_H
#define NAMESPACES_H

#include <sys/types.h>

/*
 * Forks a process that is the first of a new namespace of processes; without root also of a new one of users, which gives it the right
 * to make the others. Returns as fork does.
 */
pid_t fork_first_process(void);

/* The first thing that this process does, once it can report failures: it keeps its user in the namespace of users. */
void settle_first_process(void);

/* Makes namespaces: any of mount, network, ipc, uts, cgroup, user. */
void make_namespaces(const char *names);

/* Makes a mount the root directory. Nothing can reach the former one any more. */
void enter_root(const char *directory);

#endif
