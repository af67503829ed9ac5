#ifndef STEPS_H
#define STEPS_H

/* Exit code of a sandbox that could not be started; stderr says why. */
#define EXIT_NOT_STARTED 70

/* Descriptor to which bubblewrap writes what it knows of the process that it makes. */
#define INFO 4

/*
 * Reads steps from a descriptor and carries each out as it comes; the last one becomes bubblewrap. They do what bubblewrap has
 * no option for, or does slowly: cgroups, file systems with a bounded number of files, limits. Each word and value ends with NUL.
 *
 *   cgroup FILE                    joins the cgroup whose cgroup.procs this is
 *   unshare                        own mounts, and an own network with loopback
 *   filter FILE                    opens the seccomp filter as descriptor 3
 *   user UID GID                   becomes this user before the program
 *   limit NUMBER VALUE             setrlimit, soft and hard
 *   overlay DIRECTORY EMPTY TARGET mounts a read-only view with files of its own
 *   bind SOURCE TARGET FLAGS       FLAGS: any of readonly, noexec, device
 *   tmpfs TARGET OPTIONS FLAGS
 *   directory PATH, link TARGET PATH
 *   device SOURCE TARGET           makes a device with the numbers of the host's; binds that one where the kernel refuses
 *   restrict TARGET FLAGS          mounts again with these flags
 *   -- PROGRAM [ARGUMENT...] ''    the program by its full path, up to an empty word; nothing may follow before it runs
 */
_Noreturn void carry_out(int from);

#endif
