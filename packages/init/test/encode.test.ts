import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ExecRequest,
  encodeExec,
  encodeFetch,
  encodeKill,
  encodePutFile,
  encodeQuit,
  encodeReset,
  encodeStdin,
  encodeStdinEnd,
} from '../src/encode.ts'
import { PROCESS_LIMITS } from '../src/process-limits.ts'
import { MAX_EXEC_BYTES, MAX_HOST_PAYLOAD_BYTES, MAX_PUT_BYTES, WIRE, WireError } from '../src/wire.ts'
import { sampleExec, sampleLimits } from './samples.ts'

/** Reads an exec frame the way init does. */
function readExec(frame: Uint8Array) {
  const bytes = Buffer.from(frame).subarray(5)
  const numbers = [0, 4, 8, 12, 16].map((at) => bytes.readUInt32LE(at))
  const [limitc = 0, argc = 0, envc = 0] = [20, 22, 24].map((at) => bytes.readUInt16LE(at))
  const texts: string[] = []
  let at = 26
  const limits = Array.from({ length: limitc }, (_, index) => [
    bytes.readUInt32LE(at + 8 * index),
    bytes.readUInt32LE(at + 8 * index + 4),
  ])
  at += 8 * limitc
  while (at < bytes.byteLength) {
    const length = bytes.readUInt32LE(at)
    texts.push(bytes.subarray(at + 4, at + 4 + length).toString())
    at += 4 + length
  }
  expect(at).toBe(bytes.byteLength)
  return { numbers, limits, cwd: texts[0], argv: texts.slice(1, 1 + argc), env: texts.slice(1 + argc), envc }
}

describe('frames for init', () => {
  it('are a type, a length, and a payload', () => {
    expect([...encodeKill()]).toEqual([WIRE.kill, 1, 0, 0, 0, 0])
    expect([...encodeReset()]).toEqual([WIRE.reset, 0, 0, 0, 0])
    expect([...encodeQuit()]).toEqual([WIRE.quit, 0, 0, 0, 0])
    expect([...encodeStdinEnd()]).toEqual([WIRE.stdin, 0, 0, 0, 0])
    expect([...encodeStdin(Uint8Array.of(7, 8))]).toEqual([WIRE.stdin, 2, 0, 0, 0, 7, 8])
    expect([...encodeFetch('ä', 258)]).toEqual([WIRE.fetch, 6, 0, 0, 0, 2, 1, 0, 0, 0xc3, 0xa4])
    expect([...encodePutFile('f', Uint8Array.of(9), 0o755)]).toEqual([
      WIRE.putFile,
      6,
      0,
      0,
      0,
      0xed,
      1,
      1,
      0,
      102,
      9,
    ])
  })

  it('carry each argument and variable of a program unchanged', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
    const name = text.filter((value) => value !== '' && !value.includes('='))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.dictionary(name, text), text, (argv, env, cwd) => {
        const read = readExec(encodeExec(sampleExec({ argv, env, cwd })))
        expect(read).toMatchObject({ argv, cwd, envc: Object.keys(env).length })
        expect(read.env).toEqual(Object.entries(env).map(([key, value]) => `${key}=${value}`))
      }),
    )
  })

  it('carry the limits of a program, rounded up to whole milliseconds', () => {
    const all = { wallMs: 1500.2, cpuMs: 0.4, stdoutLimit: 3, stderrLimit: 4 }
    expect(readExec(encodeExec(sampleExec(all))).numbers).toEqual([1501, 1, 3, 4, 0])
    const flags = { killOnOverflow: true, stdin: true, tunnel: true }
    expect(readExec(encodeExec(sampleExec(flags))).numbers).toEqual([1, 0, 0, 0, 7])
  })

  it('carry each limit of a process with its resource, in the unit of the kernel', () => {
    const { limits } = readExec(encodeExec(sampleExec({ limits: sampleLimits({ openFiles: 64 }) })))
    expect(limits).toHaveLength(PROCESS_LIMITS.length)
    expect(limits).toContainEqual([7, 64])
    for (const { name, resource, unit } of PROCESS_LIMITS) {
      const read = readExec(encodeExec(sampleExec({ limits: sampleLimits({ [name]: 300 }) })))
      expect(read.limits).toContainEqual([resource, 300 * unit])
    }
  })

  it('are refused for values that they cannot carry', () => {
    const bad: readonly Partial<ExecRequest>[] = [
      { argv: [] },
      { argv: ['a\0b'] },
      { argv: Array.from({ length: 5000 }, () => '') },
      { argv: ['x'.repeat(MAX_EXEC_BYTES)] },
      { env: { 'a=b': 'c' } },
      { env: { '': 'c' } },
      { env: { a: '\0' } },
      { cwd: '\0' },
      ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e308].map((wallMs) => ({ wallMs })),
      ...[-1, Number.NaN, 2 ** 32].map((cpuMs) => ({ cpuMs })),
      ...[-1, 0.5, 2 ** 32].map((stdoutLimit) => ({ stdoutLimit })),
      ...PROCESS_LIMITS.flatMap(({ name, unit, least }) =>
        [least - 1, 16.5, Math.floor(0xffffffff / unit) + 1].map((value) => ({
          limits: sampleLimits({ [name]: value }),
        })),
      ),
    ]
    for (const part of bad) expect(() => encodeExec(sampleExec(part))).toThrow(WireError)
    for (const path of ['', 'a\0b', 'x'.repeat(5000)]) {
      expect(() => encodePutFile(path, new Uint8Array(0))).toThrow(WireError)
      expect(() => encodeFetch(path, 1)).toThrow(WireError)
    }
    expect(() => encodePutFile('f', new Uint8Array(MAX_PUT_BYTES + 1))).toThrow(WireError)
    expect(() => encodePutFile('f', new Uint8Array(0), 0o4755)).toThrow(WireError)
    expect(() => encodeFetch('f', -1)).toThrow(WireError)
    expect(() => encodeStdin(new Uint8Array(0))).toThrow(WireError)
    expect(() => encodeStdin(new Uint8Array(MAX_HOST_PAYLOAD_BYTES + 1))).toThrow(WireError)
  })
})
