/* The harness around init, and how an input passes through it. */
#ifndef ISOPOD_FUZZ_WORLD_H
#define ISOPOD_FUZZ_WORLD_H

#include <stddef.h>
#include <stdint.h>

/* Checks a promise of init; a broken one is reported as a crash to libFuzzer. */
#define must(condition, ...) \
  do { \
    if (!(condition)) violated(__VA_ARGS__); \
  } while (0)
_Noreturn void violated(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* target.c: runs init on one input; returns its exit code. */
int run_input(const uint8_t *data, size_t size);
void world_open(const char *folder);

/* host.c */
extern int64_t clock_us;
/* `input` is what the host sends, `script` the events meanwhile, one byte per turn; see README.md. */
void host_begin(const uint8_t *input, size_t size, const uint8_t *script, size_t script_size);
/* Gets a copy of all that init sends; -1 for none. */
extern int host_copy_fd;
/* Reads init's last output even if this host has stopped reading. */
void host_takes_all(void);

/* sender.c: the host's frames on their way to init. */
void sender_begin(const uint8_t *bytes, size_t size);
size_t sender_left(void);
/* Whether the host sends now; a frame of a stream waits until the stream, or its credit, exists. */
int sender_ready(void);
/* Sends the next frame without waiting. */
void sender_insist(void);
size_t sender_give(uint8_t *into, size_t most);

/* Streams carry the numbers from 0 on in both directions, so that a lost or moved byte is seen. */
#define PATTERN 251
/* Progress of the program's side of a stream. */
struct progress {
  uint64_t sent, taken;
  int sent_all, may_take;
  int shut, held; /* of init's end */
};

/* ledger.c: the frames of both sides on each stream. */
void ledger_begin(void);
void ledger_started(void);
void ledger_done(void);
/* A frame of the host that init begins to read, and the next byte of one. */
void ledger_host(uint8_t type, uint32_t id, uint32_t bytes);
uint8_t ledger_host_byte(uint32_t id);
/* Whether a correct host would send this later. */
int ledger_waits(uint8_t type, uint32_t id, uint32_t bytes);
/* A frame of init; a data frame before its bytes. */
void ledger_init(uint8_t type, uint32_t id, uint32_t bytes);
void ledger_init_byte(uint32_t id, uint8_t byte);
int ledger_may_end(uint32_t id);
int ledger_is_full(void);
/* All is quiet: whatever could be passed on must have been. */
void ledger_quiet(uint32_t id, const struct progress *progress);

/* net.c, dial.c: the program's connections. */
enum net_step { NET_CONNECT, NET_SEND, NET_READ, NET_END, NET_CLOSE, NET_FAIL, NET_PIECE, NET_INSIST, NET_STEPS };
void net_begin(void);
void net_step(enum net_step what, unsigned which, unsigned much);
int net_listening(void);
void net_hang_up(void);
void net_check_closed(void);
void net_quiet(void);

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
/* Empties the writable folders, and checks that nothing else changed. */
void files_end(void);
/* Files that a program can leave in the workspace to trip init. */
void files_plant(unsigned kind);
void files_cpu_used(int64_t us);

#endif
