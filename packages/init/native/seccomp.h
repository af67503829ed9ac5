#ifndef ISOPOD_SECCOMP_H
#define ISOPOD_SECCOMP_H

/*
 * Keeps the calling process and all that it starts away from init, which runs as the same user. The container's own
 * profile stands around this one and is not repeated here. -1 with errno on failure.
 */
int seccomp_guard_init(void);
/* Keeps all that the calling process forks from signalling it; after seccomp_guard_init. -1 with errno on failure. */
int seccomp_guard_self(void);

#endif
