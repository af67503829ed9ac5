#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int main(void) {
  const char *text = "exit 0\n";
  setsid();
  for (int fd = 0; fd < 3; fd++) {
    ioctl(fd, TIOCSCTTY, 1);
    if (ioctl(fd, TIOCSTI, text) == 0) puts("ESCAPED: typed");
    if (isatty(fd)) puts("ESCAPED: a terminal");
  }
  const char *paths[] = {"/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0", "/dev/tty0"};
  for (int i = 0; i < 5; i++) {
    int fd = open(paths[i], O_RDWR | O_NOCTTY);
    if (fd >= 0 && ioctl(fd, TIOCSTI, text) == 0) printf("ESCAPED: typed into %s\n", paths[i]);
  }
  return 41;
}
