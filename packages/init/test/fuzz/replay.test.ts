import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { FrameDecoder } from '../../src/decode.ts'
import { Harness, missingForReplay, type Replayed } from './harness.ts'
import { SEEDS } from './seeds.ts'

const missing = missingForReplay()
const BROKEN = 4

describe('init on every input of the corpus', () => {
  let harness: Harness
  let replayed: Replayed[]

  beforeAll(() => {
    if (missing !== undefined) return
    harness = new Harness()
    replayed = harness.replay()
  }, scaled(120_000))

  beforeEach((context) => context.skip(missing !== undefined, missing))

  afterAll(() => harness?.[Symbol.dispose]())

  it('stays within its memory and its files, never hangs, and ends with an expected exit code', () => {
    expect(harness.corpusSize).toBeGreaterThan(300)
    expect(replayed).toHaveLength(harness.corpusSize + Object.keys(SEEDS).length)
    expect(new Set(replayed.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 3, BROKEN]))
  })

  it('sends frames that the host can decode, and completes the last one if it ends by itself', () => {
    const seen = new Set<string>()
    for (const { name, exitCode, sent } of replayed) {
      const decoder = new FrameDecoder()
      const frames = decoder.push(sent)
      for (const { type } of frames) seen.add(type)
      expect(frames[0]?.type, name).toBe('ready')
      if (exitCode === BROKEN) {
        expect(() => decoder.end(), name).not.toThrow()
        expect(frames.at(-1)?.type, name).toBe('fault')
      }
    }
    const all = [
      'ready',
      'stdout',
      'stderr',
      'started',
      'preloaded',
      'snapshotDone',
      'sample',
      'done',
      'file',
      'fault',
      'reset',
    ]
    const net = ['netOpen', 'netData', 'netEnd', 'netReset', 'netCredit']
    expect([...seen].sort()).toEqual([...all, ...net].sort())
  })
})
