#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FSOPEN 430
#define FSCONFIG 431
#define FSMOUNT 432
#define OPEN_TREE 428
#define MOVE_MOUNT 429
#define MOUNT_SETATTR 442

int main(void) {
  const char *types[] = {"ext4", "cgroup2", "cgroup", "proc", "sysfs", "debugfs", "tracefs", "securityfs", "bpf", "overlay", "tmpfs", "devpts", "mqueue", "binfmt_misc", "configfs", "fusectl", "pstore", "efivarfs", "nfs", "9p", "devtmpfs"};
  mkdir("/tmp/at", 0755);
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
    long fd = syscall(FSOPEN, types[i], 0);
    if (fd >= 0) printf("ESCAPED: opened %s\n", types[i]);
    for (int turn = 0; fd >= 0 && turn < 4096; turn++) syscall(FSCONFIG, fd, 1, "\0", "long", 0);
    if (fd >= 0 && syscall(FSMOUNT, fd, 0, 0) >= 0) puts("ESCAPED: made a mount");
    if (mount("none", "/tmp/at", types[i], 0, "") == 0) printf("ESCAPED: mounted %s\n", types[i]);
  }
  int flags[] = {MS_BIND, MS_BIND | MS_REC, MS_REMOUNT, MS_REMOUNT | MS_BIND, MS_MOVE, MS_SHARED, MS_PRIVATE | MS_REC};
  for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (mount("/", "/tmp/at", "none", flags[i], "") == 0 || mount("/", "/", "none", flags[i], "") == 0) puts("ESCAPED: changed a mount");
  }
  if (syscall(OPEN_TREE, AT_FDCWD, "/", 1) >= 0 || syscall(MOVE_MOUNT, AT_FDCWD, "/tmp/at", AT_FDCWD, "/proc", 0) == 0) puts("ESCAPED: took a tree");
  char attributes[32] = {0};
  if (syscall(MOUNT_SETATTR, AT_FDCWD, "/", 0, attributes, sizeof attributes) == 0) puts("noted: mount_setattr without a change");
  if (umount2("/proc", MNT_DETACH) == 0 || umount2("/isopod", MNT_DETACH) == 0 || umount2("/tmp", MNT_DETACH) == 0) puts("ESCAPED: unmounted");
  return 0;
}
