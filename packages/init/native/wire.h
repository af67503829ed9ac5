/* The wire's frame types and bounds; src/wire.ts holds the same table, and a test compares the two. */
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
};

#define HEADER_BYTES 5
#define MAX_HOST_PAYLOAD_BYTES (6u * 1024 * 1024)
#define MAX_INIT_PAYLOAD_BYTES (11u * 1024 * 1024)
#define MAX_STREAM_BYTES (64u * 1024)
#define MAX_JSON_BYTES 4096
#define MAX_EXEC_BYTES (256u * 1024)
#define MAX_EXEC_STRINGS 4096u
#define MAX_PENDING_STDIN_BYTES (2u * 1024 * 1024)
#define MAX_PATH_BYTES 4095u

#define EXEC_KILL_ON_OVERFLOW 1u
#define EXEC_STDIN_FOLLOWS 2u

/* Exit codes of init itself. */
#define EXIT_QUIT 0
#define EXIT_USAGE 2
#define EXIT_HOST_GONE 3
#define EXIT_BROKEN 4

#define WORKSPACE "/workspace"

#endif
