import type { PipeEnd, Sink } from '@isopod/sandbox'

/** A part of a message begins with the length of its content, in four bytes, and its kind in one. */
const HEADER_BYTES = 5
/** Maximum length of a part; init keeps more for a program that does not read. */
const MAX_PART_BYTES = 1024 * 1024
/** The same for an answer behind which init passes on the next question; a judge sends at most 32 questions at once. */
const MAX_SMALL_BYTES = 16 * 1024
/** Kinds of parts: the last one of a message; the last one of a question that another one follows. */
const [LAST, NEXT] = [0, 3]

/** What a part is, once its header has come. */
interface Header {
  readonly length: number
  readonly kind: number
}

/** Finds the headers of the parts in a stream of bytes. */
class HeaderReader {
  #header = Buffer.alloc(0)
  /** Bytes of the current part's content that have not come. */
  #left = 0

  /** The headers that end in these bytes. */
  read(bytes: Uint8Array): Header[] {
    const found: Header[] = []
    for (let at = 0; at < bytes.byteLength; ) {
      const taken = Math.min(this.#left, bytes.byteLength - at)
      this.#left -= taken
      at += taken
      const part = bytes.subarray(at, at + HEADER_BYTES - this.#header.byteLength)
      this.#header = Buffer.concat([this.#header, part])
      at += part.byteLength
      if (this.#header.byteLength < HEADER_BYTES) break
      this.#left = this.#header.readUInt32BE()
      found.push({ length: this.#left, kind: this.#header.readUInt8(4) })
      this.#header = Buffer.alloc(0)
    }
    return found
  }
}

/** A message of one part. */
export function wholeMessage(text: string): Uint8Array {
  const content = Buffer.from(text)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(content.byteLength)
  header.writeUInt8(LAST, HEADER_BYTES - 1)
  return Buffer.concat([header, content])
}

/** The ends of a gated pipe. */
export interface GatedPipe {
  readonly code: PipeEnd
  readonly judge: PipeEnd
  /** Whether the code was killed, because it sent no answer but something else, or because the judge ended before its answer. */
  readonly hasKilledCode: boolean
}

/**
 * Lets the code answer each part of the judge's messages with one part. Without it, code could send more than the judge's container
 * keeps, which would end that container. Code is killed if it sends anything else, or if the
 * judge ends before the answer.
 */
export function gateFrames([code, judge]: readonly [PipeEnd, PipeEnd]): GatedPipe {
  const [asked, answered] = [new HeaderReader(), new HeaderReader()]
  // Counted by the rules of init, in `process/pacing.c`.
  let due = 0
  let isFollowed = false
  let dropsRest = false
  let isBroken = false
  let hasKilledCode = false
  let toCode: Sink | undefined

  const note = ({ kind }: Header) => {
    isFollowed = kind === NEXT
    if (!dropsRest) due++
    dropsRest &&= isFollowed
  }
  const isAnswer = ({ kind, length }: Header) => {
    if (due === 0 || length > (kind === LAST && due > 1 ? MAX_SMALL_BYTES : MAX_PART_BYTES)) return false
    due = kind === LAST ? due - 1 : 0
    if (kind !== LAST) dropsRest = isFollowed
    return true
  }
  const fromCode = (bytes: Uint8Array) => {
    if (isBroken) return
    isBroken = answered.read(bytes).some((header) => !isAnswer(header))
    if (!isBroken) return code.write(bytes)
    code.end()
    kill()
  }
  const kill = () => {
    hasKilledCode = true
    toCode?.kill()
  }
  const openCode = (sink: Sink) => {
    toCode = sink
    code.open({ ...sink, end: () => (due > 0 ? kill() : sink.end()) })
  }
  const fromJudge = (bytes: Uint8Array) => {
    for (const header of asked.read(bytes)) note(header)
    judge.write(bytes)
  }
  return {
    code: {
      ...code,
      get wasFirst() {
        return code.wasFirst
      },
      isPaced: true,
      write: fromCode,
      open: openCode,
    },
    judge: {
      ...judge,
      get wasFirst() {
        return judge.wasFirst
      },
      write: fromJudge,
    },
    get hasKilledCode() {
      return hasKilledCode
    },
  }
}
