import { header, integer } from './encode.ts'
import { HEADER_BYTES, MAX_NET_BYTES, MAX_NET_WINDOW_BYTES, WIRE, WireError } from './wire.ts'

/**
 * Bytes for the program on a stream of its tunnel. More than the stream's credit is a fault that ends init.
 * @throws {WireError} unless there are 1 to `MAX_NET_BYTES` bytes
 */
export function encodeNetWrite(stream: number, data: Uint8Array): Uint8Array {
  if (data.byteLength === 0 || data.byteLength > MAX_NET_BYTES) {
    throw new WireError(`net write: must be 1 to ${MAX_NET_BYTES} bytes, got ${data.byteLength}`)
  }
  const frame = streamFrame(WIRE.netWrite, stream, data.byteLength)
  frame.set(data, HEADER_BYTES + 4)
  return frame
}

/** Ends the bytes for the program on this stream; it may still send. */
export function encodeNetFinish(stream: number): Uint8Array {
  return streamFrame(WIRE.netFinish, stream)
}

/** Resets the program's connection. */
export function encodeNetDrop(stream: number): Uint8Array {
  return streamFrame(WIRE.netDrop, stream)
}

/** Lets the program send this many more bytes; its whole credit is at most `MAX_NET_WINDOW_BYTES`. */
export function encodeNetGrant(stream: number, bytes: number): Uint8Array {
  const frame = streamFrame(WIRE.netGrant, stream, 4)
  const view = new DataView(frame.buffer)
  view.setUint32(HEADER_BYTES + 4, integer('net grant: bytes', bytes, MAX_NET_WINDOW_BYTES, 1), true)
  return frame
}

function streamFrame(type: number, stream: number, rest = 0): Uint8Array<ArrayBuffer> {
  const frame = header(type, 4 + rest)
  new DataView(frame.buffer).setUint32(HEADER_BYTES, integer('net: stream', stream, 0xffffffff, 1), true)
  return frame
}
