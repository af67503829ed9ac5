import { openPipe, type PipeEnd } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { gateFrames } from '../../src/scripts/split/frame-gate.ts'

/** A frame with a payload of this length. */
function frame(length: number, kind = 0): Buffer {
  const bytes = Buffer.alloc(5 + length)
  bytes.writeUInt32BE(length)
  bytes.writeUInt8(kind, 4)
  return bytes
}

function gate() {
  const [code, judge] = gateFrames(openPipe())
  return { code, judge, atCode: read(code), atJudge: read(judge) }
}

function read(end: PipeEnd) {
  const read = { bytes: 0, isEnded: false }
  end.open({
    write: (bytes) => {
      read.bytes += bytes.byteLength
    },
    end: () => {
      read.isEnded = true
    },
  })
  return read
}

describe('the gate between code and judge', () => {
  it('passes one frame of the code for each frame of the judge, in pieces of any size', () => {
    const { code, judge, atCode, atJudge } = gate()
    for (const length of [0, 3, 70_000, 1024 * 1024]) {
      for (const byte of frame(length).subarray(0, 9)) judge.write(Buffer.of(byte))
      judge.write(frame(length).subarray(9))
      const answer = frame(length, 1)
      code.write(answer.subarray(0, 4))
      code.write(answer.subarray(4))
    }
    const sent = 4 * 5 + 3 + 70_000 + 1024 * 1024
    expect(atCode).toEqual({ bytes: sent, isEnded: false })
    expect(atJudge).toEqual({ bytes: sent, isEnded: false })
  })

  it.each([
    ['before it was asked', [], [frame(1)]],
    ['twice', [frame(1)], [frame(1), frame(1)]],
    ['twice in one piece', [frame(1)], [Buffer.concat([frame(1), frame(1)])]],
    ['at too great length', [frame(1)], [frame(1024 * 1024 + 1)]],
  ])('ends the conversation if the code answers %s', (_, asked, answers) => {
    const { code, judge, atJudge } = gate()
    for (const each of asked) judge.write(each)
    for (const each of answers) code.write(each)
    expect(atJudge.isEnded).toBe(true)
    const { bytes } = atJudge
    judge.write(frame(1))
    code.write(frame(1))
    expect(atJudge.bytes).toBe(bytes)
    expect(bytes).toBeLessThanOrEqual(6)
  })
})
