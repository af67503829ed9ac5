import { openPipe, type PipeEnd } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { gateFrames } from '../../src/scripts/split/frame-gate.ts'

const [LAST, MORE, TAKEN, NEXT, ALONE] = [0, 1, 2, 3, 4]

/** A part with content of this length. */
function part(length: number, kind = LAST): Buffer {
  const bytes = Buffer.alloc(5 + length)
  bytes.writeUInt32BE(length)
  bytes.writeUInt8(kind, 4)
  return bytes
}

function gate() {
  const pipe = gateFrames(openPipe())
  return { pipe, code: pipe.code, judge: pipe.judge, atCode: read(pipe.code), atJudge: read(pipe.judge) }
}

function read(end: PipeEnd) {
  const read: { bytes: number; end?: 'ended' | 'killed' } = { bytes: 0 }
  end.open({
    write: (bytes) => {
      read.bytes += bytes.byteLength
    },
    end: () => {
      read.end = 'ended'
    },
    kill: () => {
      read.end = 'killed'
    },
  })
  return read
}

describe('the gate between code and judge', () => {
  it('passes one part of the code for each part of the judge, in pieces of any size', () => {
    const { code, judge, atCode, atJudge } = gate()
    for (const length of [0, 3, 70_000, 1024 * 1024]) {
      for (const byte of part(length).subarray(0, 9)) judge.write(Buffer.of(byte))
      judge.write(part(length).subarray(9))
      const answer = part(length)
      code.write(answer.subarray(0, 4))
      code.write(answer.subarray(4))
    }
    const sent = 4 * 5 + 3 + 70_000 + 1024 * 1024
    expect(atCode).toEqual({ bytes: sent })
    expect(atJudge).toEqual({ bytes: sent })
  })

  it('passes small answers to questions that come at once, and a large one to the last', () => {
    const { code, judge, atJudge } = gate()
    judge.write(Buffer.concat([part(1, NEXT), part(1, NEXT), part(1)]))
    const [small, last] = [part(16 * 1024), part(1024 * 1024)]
    code.write(Buffer.concat([small, small.subarray(0, 3)]))
    code.write(small.subarray(3))
    code.write(last)
    expect(atJudge).toEqual({ bytes: 2 * small.byteLength + last.byteLength })
  })

  it.each([
    ['in several parts', [MORE, LAST], TAKEN],
    ['alone', [ALONE, LAST], LAST],
  ])('counts no questions that init drops after an answer that comes %s', (_, kinds, next) => {
    const { code, judge, atJudge } = gate()
    // The last question of those that come at once arrives after the answer.
    judge.write(Buffer.concat([part(1, NEXT), part(1, NEXT)]))
    code.write(part(1024 * 1024, kinds[0]))
    judge.write(Buffer.concat([part(1), part(1, next)]))
    code.write(part(1, kinds[1]))
    expect(atJudge.end).toBe(undefined)
    code.write(part(1))
    expect(atJudge).toEqual({ bytes: 1024 * 1024 + 5 + 6, end: 'ended' })
  })

  it.each([
    ['before it was asked', [], [part(1)]],
    ['twice', [part(1)], [part(1), part(1)]],
    ['twice in one piece', [part(1)], [Buffer.concat([part(1), part(1)])]],
    ['at too great length', [part(1)], [part(1024 * 1024 + 1)]],
    ['at length while others are due', [part(1, NEXT), part(1)], [part(16 * 1024 + 1)]],
  ])('kills code that answers %s', (_, asked, answers) => {
    const { pipe, code, judge, atCode, atJudge } = gate()
    for (const each of asked) judge.write(each)
    for (const each of answers) code.write(each)
    expect([atJudge.end, atCode.end, pipe.hasKilledCode]).toEqual(['ended', 'killed', true])
    const { bytes } = atJudge
    judge.write(part(1))
    code.write(part(1))
    expect(atJudge.bytes).toBe(bytes)
    expect(bytes).toBeLessThanOrEqual(6)
  })

  it('ends the input of the code when the judge ends, and kills it if it owes an answer', () => {
    const idle = gate()
    idle.judge.write(part(1))
    idle.code.write(part(1))
    idle.judge.end()
    expect([idle.atCode.end, idle.pipe.hasKilledCode]).toEqual(['ended', false])

    const busy = gate()
    busy.judge.write(Buffer.concat([part(1, NEXT), part(1)]))
    busy.code.write(part(1))
    busy.judge.end()
    expect([busy.atCode.end, busy.pipe.hasKilledCode]).toEqual(['killed', true])
  })
})
