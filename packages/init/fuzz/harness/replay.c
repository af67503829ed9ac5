/* Replays inputs: replay FOLDER INPUT…; writes what init sent to FOLDER under INPUT's name, and exit codes to stdout. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

#define MAX_BYTES (8u << 20)

static size_t read_input(const char *path, uint8_t *into) {
  FILE *file = fopen(path, "rb");
  must(file != NULL, "cannot read %s", path);
  size_t size = fread(into, 1, MAX_BYTES, file);
  fclose(file);
  return size;
}

int main(int argc, char **argv) {
  must(argc > 2, "usage: replay FOLDER INPUT…");
  char root[4096];
  must(snprintf(root, sizeof root, "%s/root-XXXXXX", argv[1]) < (int)sizeof root, "%s is too long", argv[1]);
  must(mkdtemp(root) != NULL, "cannot make %s", root);
  /* Lower than the descriptors that are closed after an input. */
  host_copy_fd = open("/dev/null", O_WRONLY);
  world_open(root);
  for (int i = 2; i < argc; i++) {
    char output[4096];
    const char *name = strrchr(argv[i], '/');
    snprintf(output, sizeof output, "%s/%s", argv[1], name != NULL ? name + 1 : argv[i]);
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(file >= 0 && dup2(file, host_copy_fd) >= 0, "cannot write %s", output);
    close(file);
    /* Exactly as large as the input, so that the sanitizer sees a read past its end. */
    uint8_t *whole = malloc(MAX_BYTES);
    size_t size = read_input(argv[i], whole);
    uint8_t *bytes = malloc(size + (size == 0));
    memcpy(bytes, whole, size);
    free(whole);
    fprintf(stderr, "%s\n", argv[i]);
    printf("%d %s\n", run_input(bytes, size), name != NULL ? name + 1 : argv[i]);
    free(bytes);
  }
  return 0;
}
