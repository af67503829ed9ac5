#ifndef ISOPOD_SECCOMP_H
#define ISOPOD_SECCOMP_H

/*
 * Installs the filter for the calling process and its descendants: no access to init, which runs as the same user, and no use
 * of kernel memory that no cgroup counts. With `self`, its forks cannot signal it either. The container's own profile applies as
 * well and is not repeated here. No further filter can be installed. -1 with errno on failure.
 */
int seccomp_guard(int self);

#endif
