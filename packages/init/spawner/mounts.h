#ifndef MOUNTS_H
#define MOUNTS_H

/*
 * Gives this process a mount namespace with only those of the host's mounts that lead to one of these paths or are below one.
 * A host can have hundreds of others, of containers for example: each sandbox would copy them all, twice.
 *
 * Returns -1 with errno if the kernel refuses.
 */
int keep_mounts(char *const paths[], int count);

#endif
