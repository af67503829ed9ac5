#ifndef STEPS_H
#define STEPS_H

/*
 * Reads steps from a descriptor and carries each out as it comes; the last one becomes the program. Each word and value ends with NUL.
 *
 *   cgroup FILE                    joins the cgroup whose cgroup.procs this is
 *   unshare NAMESPACES             any of mount, network, ipc, uts, cgroup, user; an own network has loopback, an own user namespace
 *                                  no user but the current one
 *   filter FILE                    reads the seccomp filter of the program
 *   limit NUMBER VALUE             setrlimit, soft and hard
 *   overlay DIRECTORY EMPTY TARGET mounts a read-only view with files of its own
 *   bind SOURCE TARGET FLAGS       FLAGS: any of readonly, noexec, device
 *   tmpfs TARGET OPTIONS FLAGS
 *   proc TARGET
 *   directory PATH, link TARGET PATH
 *   device SOURCE TARGET           makes a device with the numbers of the host's; binds that one where the kernel refuses
 *   restrict TARGET FLAGS          mounts again with these flags
 *   hostname NAME
 *   root DIRECTORY                 makes this mount the root, and leaves all mounts of the host
 *   user UID GID                   becomes this user, if it is root
 *   drop-capabilities              all of them, for good
 *   -- PROGRAM [ARGUMENT...] ''    the program by its full path, up to an empty word; nothing may follow before it runs
 */
_Noreturn void carry_out(int from);

#endif
