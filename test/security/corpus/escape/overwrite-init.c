#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  const char *paths[] = {"/proc/1/exe", "/isopod/init", "/proc/self/root/isopod/init", "/isopod/planted", "/proc/1/map_files"};
  const int flags[] = {O_WRONLY, O_WRONLY | O_TRUNC, O_RDWR, O_WRONLY | O_CREAT, O_PATH};
  for (int path = 0; path < 5; path++) {
    for (int flag = 0; flag < 5; flag++) {
      int fd = open(paths[path], flags[flag], 0755);
      if (fd < 0) continue;
      char again[64];
      snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
      int writer = open(again, O_WRONLY | O_TRUNC);
      if (write(fd, "\177ELF", 4) > 0 || (writer >= 0 && write(writer, "\177ELF", 4) > 0)) printf("ESCAPED: wrote %s\n", paths[path]);
    }
  }
  if (chmod("/isopod/init", 0777) == 0 || unlink("/isopod/init") == 0 || rename("/isopod/init", "/isopod/old") == 0) puts("ESCAPED: changed init");
  return 0;
}
