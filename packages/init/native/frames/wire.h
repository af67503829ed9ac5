/* The wire's frame types and bounds; src/wire.ts has the same table, and a test compares the two. */
#ifndef ISOPOD_WIRE_H
#define ISOPOD_WIRE_H

#define WIRE_VERSION 1

enum host_frame {
  FRAME_PUT_FILE = 0x01,
  FRAME_EXEC = 0x02,
  FRAME_STDIN = 0x03,
  FRAME_KILL = 0x04,
  FRAME_RESET = 0x05,
  FRAME_FETCH = 0x06,
  FRAME_QUIT = 0x07,
  FRAME_NET_WRITE = 0x08,
  FRAME_NET_FINISH = 0x09,
  FRAME_NET_DROP = 0x0a,
  FRAME_NET_GRANT = 0x0b,
  FRAME_INSPECT = 0x0c,
  FRAME_PRELOAD = 0x0d,
  FRAME_SNAPSHOT = 0x0e,
  FRAME_RESTORE = 0x0f,
};

enum init_frame {
  FRAME_READY = 0x81,
  FRAME_STDOUT = 0x82,
  FRAME_STDERR = 0x83,
  FRAME_STARTED = 0x84,
  FRAME_SAMPLE = 0x85,
  FRAME_DONE = 0x86,
  FRAME_FILE = 0x87,
  FRAME_FAULT = 0x88,
  FRAME_RESET_DONE = 0x89,
  FRAME_NET_OPEN = 0x8a,
  FRAME_NET_DATA = 0x8b,
  FRAME_NET_END = 0x8c,
  FRAME_NET_RESET = 0x8d,
  FRAME_NET_CREDIT = 0x8e,
  FRAME_PRELOADED = 0x8f,
  FRAME_SNAPSHOT_DONE = 0x90,
};

#define HEADER_BYTES 5
#define MAX_HOST_PAYLOAD_BYTES (6u * 1024 * 1024)
#define MAX_INIT_PAYLOAD_BYTES (11u * 1024 * 1024)
#define MAX_STREAM_BYTES (64u * 1024)
#define MAX_JSON_BYTES 4096
#define MAX_EXEC_BYTES (256u * 1024)
#define MAX_EXEC_STRINGS 4096u
#define MAX_PROCESS_LIMITS 16u
#define MAX_MAIN_BYTES 255u
#define MAX_PENDING_STDIN_BYTES (2u * 1024 * 1024)
#define MAX_PATH_BYTES 4095u
#define MAX_SNAPSHOT_BYTES (64u * 1024 * 1024)
#define MAX_NET_STREAMS 32u
#define MAX_NET_BYTES (16u * 1024)
#define MAX_NET_WINDOW_BYTES (32u * 1024)
#define NET_PORT 3128

#define EXEC_KILL_ON_OVERFLOW 1u
#define EXEC_STDIN_FOLLOWS 2u
#define EXEC_NET 4u
#define EXEC_PRELOADED 8u
#define EXEC_FORKS 16u
#define EXEC_PACED 32u
#define EXEC_RESETS 64u

/* Exit codes of init itself. */
#define EXIT_QUIT 0
#define EXIT_USAGE 2
#define EXIT_HOST_GONE 3
#define EXIT_BROKEN 4

#define WORKSPACE "/workspace"

#endif
