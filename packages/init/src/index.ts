export {
  type Architecture,
  type InitBinary,
  InitBinaryError,
  initBinary,
  probeBinary,
  spawnerBinary,
} from './binary.ts'
export { FrameDecoder } from './decode.ts'
export {
  type ExecRequest,
  encodeExec,
  encodeFetch,
  encodeInspect,
  encodeKill,
  encodePutFile,
  encodeQuit,
  encodeReset,
  encodeRestore,
  encodeSnapshot,
  encodeStdin,
  encodeStdinEnd,
} from './encode.ts'
export { encodeNetDrop, encodeNetFinish, encodeNetGrant, encodeNetWrite } from './encode-net.ts'
export { encodePreload, type PreloadRequest } from './encode-preload.ts'
export type {
  Done,
  Fault,
  FaultPlace,
  InitFrame,
  NetFrame,
  Preloaded,
  Ready,
  Reset,
  RunLimit,
  RunSample,
  SnapshotDone,
  Started,
} from './frames.ts'
export { type HeldLimits, PROCESS_LIMITS, type ProcessLimits } from './process-limits.ts'
export { signalName } from './signal.ts'
export {
  HEADER_BYTES,
  MAX_EXEC_BYTES,
  MAX_EXEC_STRINGS,
  MAX_HOST_PAYLOAD_BYTES,
  MAX_INIT_PAYLOAD_BYTES,
  MAX_JSON_BYTES,
  MAX_MAIN_BYTES,
  MAX_NET_BYTES,
  MAX_NET_STREAMS,
  MAX_NET_WINDOW_BYTES,
  MAX_PATH_BYTES,
  MAX_PENDING_STDIN_BYTES,
  MAX_PUT_BYTES,
  MAX_STREAM_BYTES,
  NET_PORT,
  WIRE,
  WIRE_VERSION,
  WireError,
} from './wire.ts'
