/* What the harness plays around init, and one input's way through it. */
#ifndef ISOPOD_FUZZ_WORLD_H
#define ISOPOD_FUZZ_WORLD_H

#include <stddef.h>
#include <stdint.h>

/* Something init must never do: says so and ends with a report that libFuzzer takes for a crash. */
#define must(condition, ...) \
  do { \
    if (!(condition)) violated(__VA_ARGS__); \
  } while (0)
_Noreturn void violated(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* target.c: runs init from its start on one input; gives its exit code. */
int run_input(const uint8_t *data, size_t size);
void world_open(const char *folder);

/* host.c */
extern int64_t clock_us;
/* `input` is what the host sends, `script` what happens meanwhile, a byte a turn; see README.md. */
void host_begin(const uint8_t *input, size_t size, const uint8_t *script, size_t script_size);
/* All that init has sent is also written there; -1 for nowhere. */
extern int host_copy_fd;
/* What init had to say when it ended is looked at even if this host had stopped reading. */
void host_takes_all(void);

/* sink.c: takes init's output apart and checks it. */
void sink_begin(void);
void sink_take(const uint8_t *bytes, size_t size);
void sink_end(int exit_code);

/* program.c */
void program_begin(void);
int program_alive(void);
void program_spawn_mode(unsigned mode);
void program_write(int stream, size_t size);
void program_read(size_t size);
void program_exit(unsigned how);

/* files.c */
#define SECRET "\x7fsecret\x7f"
void files_open(const char *folder);
void files_begin(void);
/* Empties what init may write to, and checks the rest. */
void files_end(void);
/* What a program may leave in the workspace for init to stumble over. */
void files_plant(unsigned kind);
void files_cpu_used(int64_t us);

#endif
