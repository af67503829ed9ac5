#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

int main(void) {
  const char body[] = "{\"exitCode\":0,\"signal\":null,\"wallMs\":1,\"limit\":null}";
  unsigned char frame[5 + sizeof body] = {0x86, sizeof body - 1};
  memcpy(frame + 5, body, sizeof body - 1);
  for (int type = 0x80; type < 0x90; type++) {
    frame[0] = (unsigned char)type;
    for (unsigned i = 0; i < 4 + sizeof body; i++) {
      if (write(1 + i % 2, frame + i, 1) < 0) return 1;
      usleep(100);
    }
  }
  return 32;
}
