// Messages between the judge and the code, over the stdin and stdout of both processes.
// A program can define variables of these names, which would be seen here.
const { Object, Array, String, Number, Boolean, BigInt, Symbol, Map, Set, WeakMap, WeakSet, Date, RegExp, Promise, Proxy } = globalThis
const { Error, TypeError, RangeError, AggregateError, ArrayBuffer, Buffer, JSON, Reflect, Math, Function, console } = globalThis
const fs = require('node:fs')
const { openSync, closeSync, readSync, writeSync, writeFileSync, unlinkSync, fstatSync, ftruncateSync } = fs
const { parse, stringify } = JSON

// Parts fit into init's buffer for a program that does not read.
const PART_BYTES = 1 << 20
const HEADER_BYTES = 5
const [LAST, MORE, TAKEN] = [0, 1, 2]

/** The other process has ended, or sent what is no message. */
class Ended extends Error {}

/** A message is larger than this end takes. */
class TooLarge extends Ended {}

/** One end. Messages are JSON; at most one is under way. */
class Channel {
  #waiting = Buffer.alloc(0)

  constructor({ source, sink }, largest) {
    this.source = source
    this.sink = sink
    this.largest = largest
  }

  send(message) {
    const text = Buffer.from(stringify(message))
    let at = 0
    for (; text.length - at > PART_BYTES; at += PART_BYTES) {
      this.#write(MORE, text.subarray(at, at + PART_BYTES))
      if (this.#part().kind !== TAKEN) throw new Ended()
    }
    this.#write(LAST, text.subarray(at))
  }

  receive() {
    const parts = []
    let size = 0
    let part
    do {
      if (part !== undefined) this.#write(TAKEN, Buffer.alloc(0))
      part = this.#part()
      size += part.data.length
      if (size > this.largest) throw new TooLarge()
      parts[parts.length] = part.data
    } while (part.kind === MORE)
    if (part.kind !== LAST) throw new Ended()
    try {
      return parse((parts.length === 1 ? part.data : Buffer.concat(parts)).toString())
    } catch {
      throw new Ended()
    }
  }

  #part() {
    const header = this.#read(HEADER_BYTES)
    const length = header.readUInt32BE(0)
    if (length > PART_BYTES) throw new Ended()
    return { kind: header[4], data: this.#read(length) }
  }

  #read(size) {
    while (this.#waiting.length < size) {
      const piece = Buffer.allocUnsafe(Math.max(size - this.#waiting.length, 1 << 14))
      const count = retried(() => readSync(this.source, piece, 0, piece.length, null))
      if (count === 0) throw new Ended()
      this.#waiting = Buffer.concat([this.#waiting, piece.subarray(0, count)])
    }
    const data = this.#waiting.subarray(0, size)
    this.#waiting = this.#waiting.subarray(size)
    return data
  }

  #write(kind, data) {
    const frame = Buffer.allocUnsafe(HEADER_BYTES + data.length)
    frame.writeUInt32BE(data.length, 0)
    frame[4] = kind
    data.copy(frame, HEADER_BYTES)
    for (let at = 0; at < frame.length; ) at += retried(() => writeSync(this.sink, frame, at))
  }
}

function retried(operation) {
  for (;;) {
    try {
      return operation()
    } catch (error) {
      if (error.code !== 'EINTR' && error.code !== 'EAGAIN') throw new Ended()
    }
  }
}

/** Moves stdin and stdout, which join the processes, out of the program's sight. Returns both descriptors. */
function takeStreams(stdin, directory) {
  const source = openSync('/proc/self/fd/0', 'r')
  const sink = openSync('/proc/self/fd/1', 'w')
  const name = `${directory}/.stream-${process.hrtime.bigint()}`
  writeFileSync(name, stdin, { flag: 'wx', mode: 0o600 })
  // A new descriptor has the lowest free number.
  for (const [number, flags] of [[0, 'r'], [1, 'ax+']]) {
    closeSync(number)
    openSync(name, flags, 0o600)
    unlinkSync(name)
  }
  return { source, sink }
}

/** What was printed since the last call, as text of at most half a part of a message. */
function takenOutput() {
  const { size } = fstatSync(1)
  if (size === 0) return ''
  const text = Buffer.alloc(Math.min(size, PART_BYTES >> 1))
  const count = readSync(1, text, 0, text.length, 0)
  ftruncateSync(1, 0)
  return text.toString('utf8', 0, count)
}
