#define _GNU_SOURCE
#include <linux/reboot.h>
#include <stdio.h>
#include <sys/quota.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  char marker[128] = "";
  if (scanf("%*s %100s", marker) != 1) return 1;
  struct timeval wall = {.tv_sec = 946684800};
  struct timespec clock = {.tv_sec = 946684800};
  struct timex adjust = {.modes = ADJ_OFFSET, .offset = 1000};
  if (sethostname(marker, 20) == 0) puts("ESCAPED: host name");
  if (setdomainname(marker, 20) == 0) puts("ESCAPED: domain name");
  if (settimeofday(&wall, NULL) == 0 || clock_settime(CLOCK_REALTIME, &clock) == 0) puts("ESCAPED: time");
  if (adjtimex(&adjust) >= 0) puts("ESCAPED: clock drift");
  /* This only switches off Ctrl-Alt-Del, but a program that may do it may also restart the machine. */
  if (syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_CAD_OFF, 0) == 0) puts("ESCAPED: reboot");
  if (swapon("/tmp/none", 0) == 0 || acct("/tmp/none") == 0 || vhangup() == 0) puts("ESCAPED: swap, accounting, hang-up");
  if (syscall(SYS_quotactl, QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL) == 0) puts("noted: quotactl sync");
  if (syscall(SYS_syslog, 5, 0, 0) == 0) puts("ESCAPED: cleared the log");
  return 0;
}
