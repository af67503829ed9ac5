#include <fcntl.h>
#include <linux/fiemap.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The image, init's folder and the files that the engine mounts in /etc lie on file systems of the host. */
static const char *const files[] = {"/bin/sh", "/etc/passwd", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/isopod", "/isopod/init", "/usr"};
static const struct {
  const char *what;
  unsigned long request;
} questions[] = {{"its id", 0x80111500}, {"its device", 0x80811501}, {"its id by ext4", 0x8008662c}, {"where it lies", 0xc020660b}};

int main(void) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    int fd = open(files[i], O_RDONLY);
    for (size_t j = 0; j < sizeof questions / sizeof *questions && fd >= 0; j++) {
      union {
        char text[4096];
        struct fiemap map;
      } buffer;
      memset(&buffer, 0, sizeof buffer);
      /* Asks for the whole file, in one extent. */
      buffer.map.fm_length = j == 3 ? ~0ull : 0;
      buffer.map.fm_extent_count = j == 3;
      if (j == 2) buffer.text[0] = 16;
      if (ioctl(fd, questions[j].request, &buffer) == 0) printf("ESCAPED: %s told %s\n", files[i], questions[j].what);
    }
    close(fd);
  }
  return 0;
}
