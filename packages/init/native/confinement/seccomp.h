#ifndef ISOPOD_SECCOMP_H
#define ISOPOD_SECCOMP_H

/*
 * Keeps the calling process and all that it starts away from init, which runs as the same user, and from what no cgroup
 * counts. With `self`, keeps all that it forks from signalling it as well. The container's own profile stands around this
 * one and is not repeated here. No filter can be laid after it. -1 with errno on failure.
 */
int seccomp_guard(int self);

#endif
