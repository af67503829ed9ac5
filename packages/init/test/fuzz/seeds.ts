import {
  encodeExec,
  encodeFetch,
  encodeKill,
  encodePutFile,
  encodeQuit,
  encodeReset,
  encodeRestore,
  encodeSnapshot,
  encodeStdin,
  encodeStdinEnd,
} from '../../src/encode.ts'
import { encodePreload } from '../../src/encode-preload.ts'
import { PROCESS_LIMITS } from '../../src/process-limits.ts'
import { HEADER_BYTES, MAX_EXEC_BYTES } from '../../src/wire.ts'
import { sampleExec, sampleLimits } from '../samples.ts'
import { NET_SEEDS } from './net-seeds.ts'
import {
  CHUNK,
  EXIT,
  FIRST_PAUSE,
  PLANT,
  READ,
  ROOM,
  type Seed,
  SPAWN,
  STDERR,
  STDOUT,
  step,
  times,
} from './script.ts'

/** The bytes before the strings of an exec frame. */
const NUMBERS_BYTES = 26 + 8 * PROCESS_LIMITS.length
/** Offset of the length of its first argument, after a cwd of one byte. */
const ARGUMENT_AT = HEADER_BYTES + NUMBERS_BYTES + 4 + 1
const request = sampleExec({
  argv: ['a', 'b'],
  env: { P: 'x' },
  wallMs: 500,
  stdoutLimit: 3000,
  stderrLimit: 9,
})
const exec = encodeExec(request)
const execWithStdin = encodeExec({ ...request, stdin: true })
const execPaced = encodeExec({ ...request, stdin: true, paced: true })
/** Three questions that come together: parts of one byte of which the first two are followed by another. */
const questions = encodeStdin(Uint8Array.of(0, 0, 0, 1, 3, 97, 0, 0, 0, 1, 3, 98, 0, 0, 0, 1, 0, 99))
/** The program's answer to one: five zeros are an empty part of kind 0. */
const answer = times(5, step(STDOUT))
const execPreloaded = encodeExec({ ...request, preloaded: true })
const execThenReset = encodeExec({ ...request, resets: true })
/** A main file whose name is longer than the frame. */
const longName = Buffer.from(encodePreload(request))
longName.writeUInt16LE(200, HEADER_BYTES)
const put = (path: string, size = 3, mode = 0o600) =>
  encodePutFile(path, new Uint8Array(size).fill(120), mode)
const garbage = Uint8Array.of(0xff, 0, 0, 0, 0)
/** The largest exec frame, whose argument ends at the end of init's buffer. */
const largest = encodeExec({
  ...request,
  argv: ['x'.repeat(MAX_EXEC_BYTES - NUMBERS_BYTES - 2 * 4 - 1)],
  env: {},
  cwd: '/',
})
/** The same frame with an argument that announces one byte more. */
const overlong = Buffer.from(largest)
overlong.writeUInt32LE(overlong.readUInt32LE(ARGUMENT_AT) + 1, ARGUMENT_AT)
/** A limit of a resource that Linux does not have. */
const unknownLimit = Buffer.from(exec)
unknownLimit.writeUInt32LE(16, HEADER_BYTES + 26)
/** A frame without limits. */
const unlimited = Buffer.concat([
  exec.subarray(0, HEADER_BYTES + 26),
  exec.subarray(HEADER_BYTES + NUMBERS_BYTES),
])
unlimited.writeUInt32LE(unlimited.byteLength - HEADER_BYTES, 1)
unlimited.writeUInt16LE(0, HEADER_BYTES + 20)
/** More limits than init has room for. */
const manyLimits = Buffer.from(largest)
manyLimits.writeUInt16LE(17, HEADER_BYTES + 20)
const plain: Seed = { frames: [put('a'), exec, encodeFetch('a', 100), encodeReset(), encodeQuit()] }

/**
 * Inputs that the fuzzer starts from: each frame type, each way that a run ends, each thing that a program can leave
 * behind. A new frame type is fuzzed as soon as it has an input here.
 */
export const SEEDS: Readonly<Record<string, Seed>> = {
  ...NET_SEEDS,
  nothing: { frames: [] },
  put: { frames: [put('a'), put('d/e/f', 70_000, 0o755), put('a', 0)] },
  'put-bad-paths': { frames: ['../a', '/a', 'a//b', '.', 'a/', 'a/../b'].map((path) => put(path)) },
  'put-refused': { frames: [put('a/b'), put('a'), exec, exec] },
  restore: {
    frames: [
      put('a'),
      put('d/e', 5000, 0o755),
      encodeSnapshot(),
      exec,
      encodeRestore(),
      put('b'),
      exec,
      encodeRestore(),
      exec,
    ],
    script: [SPAWN, EXIT, PLANT].flatMap((kind) => times(4, step(kind, 1))),
  },
  'snapshot-refused': { frames: [exec, encodeSnapshot(), encodeSnapshot(), encodeReset(), encodeRestore()] },
  exec: { frames: [exec] },
  'exec-full': {
    frames: [encodeExec({ ...request, cpuMs: 40, cwd: '/', killOnOverflow: true, env: {} })],
  },
  'exec-largest': { frames: [largest] },
  'exec-overlong': { frames: [overlong] },
  'exec-unlimited': { frames: [unlimited] },
  'exec-unknown-limit': { frames: [unknownLimit] },
  'exec-many-limits': { frames: [manyLimits] },
  stdin: {
    frames: [execWithStdin, encodeStdin(new Uint8Array(300)), encodeStdinEnd()],
    script: times(4, step(READ, 1)),
  },
  paced: {
    frames: [execPaced, questions, questions, encodeStdinEnd()],
    script: [step(SPAWN), step(READ, 1), ...answer, step(READ, 1), ...answer, step(EXIT, 1)],
  },
  'paced-in-pieces': {
    frames: [execPaced, questions, exec, execWithStdin, questions],
    script: [step(CHUNK), ...answer, ...times(40, step(STDOUT)), step(PLANT, FIRST_PAUSE + 1), ...answer],
  },
  'paced-unasked': { frames: [execPaced, questions, questions], script: [...answer, ...answer, ...answer] },
  'paced-long-answer': {
    frames: [execPaced, questions, encodeReset(), execPaced, questions],
    script: [...times(2, step(SPAWN)), step(STDOUT, 20), step(EXIT, 26)],
  },
  'stdin-unread': { frames: [execWithStdin, ...times(3, encodeStdin(new Uint8Array(800_000)))] },
  'stdin-closed': {
    frames: [execWithStdin, ...times(3, encodeStdin(new Uint8Array(70_000)))],
    script: times(9, step(READ)),
  },
  preload: {
    frames: [put('a'), encodePreload(request), put('b'), execPreloaded, encodeReset(), execPreloaded, exec],
  },
  'preload-by-pipe': {
    frames: [encodePreload({ ...request, mainFile: 'm' }), put('m', 90_000), execPreloaded, encodeReset()],
  },
  'preload-without-main': {
    frames: [encodePreload({ ...request, mainFile: 'm' }), execPreloaded, execPreloaded],
  },
  'preload-forks': {
    frames: [
      encodePreload({ ...request, forks: true }),
      execPreloaded,
      encodeReset(),
      exec,
      encodePreload(request),
    ],
  },
  'preload-another': {
    frames: [encodePreload({ ...request, argv: ['c'] }), execPreloaded, encodePreload(request), exec],
  },
  'preload-other-limits': {
    frames: [encodePreload({ ...request, limits: sampleLimits({ openFiles: 16 }) }), execPreloaded],
  },
  'preload-busy': { frames: [exec, encodePreload(request), execPreloaded] },
  'preload-overlong': { frames: [longName] },
  ...named('preload-spawn', [1, 2, 3, 4], (mode) => ({
    frames: [encodePreload(request), execPreloaded, encodePreload({ ...request, mainFile: 'm' }), exec],
    script: times(4, step(SPAWN, mode)),
  })),
  kill: { frames: [encodeKill(), exec, encodeKill()] },
  reset: { frames: [put('d/e'), exec, encodeReset(), encodeReset(), exec] },
  'reset-after-run': {
    frames: [
      put('d/e'),
      encodeSnapshot(),
      execThenReset,
      encodeFetch('d/e', 9000),
      encodeReset(),
      execThenReset,
      exec,
    ],
    script: [SPAWN, PLANT, STDOUT, EXIT].flatMap((kind) => times(3, step(kind, 1))),
  },
  'reset-after-run-broken': {
    frames: [execThenReset, encodeRestore(), execThenReset, encodeKill(), encodeQuit(), garbage],
  },
  'reset-after-preloaded-run': {
    frames: [
      encodePreload({ ...request, forks: true }),
      encodeExec({ ...request, preloaded: true, stdin: true, paced: true, resets: true }),
      questions,
      execPreloaded,
    ],
    script: [step(SPAWN), ...answer, step(EXIT, 1), step(SPAWN, 1), step(EXIT, 1)],
  },
  fetch: {
    frames: [
      put('d/e', 9000),
      encodeFetch('d/e', 9000),
      encodeFetch('d/e', 8999),
      encodeFetch('d', 1),
      encodeFetch('x/y', 1),
    ],
  },
  quit: { frames: [exec, encodeQuit()] },
  plain,
  'byte-by-byte': { ...plain, script: [step(CHUNK)] },
  busy: { frames: [exec, exec, put('a'), encodeFetch('a', 1), exec] },
  output: { frames: [exec], script: times(5, step(STDOUT, 9), step(STDERR, 1)) },
  overflow: {
    frames: [encodeExec({ ...request, killOnOverflow: true })],
    script: times(3, step(STDOUT, 20)),
  },
  'slow-host': {
    frames: [encodeExec({ ...request, stdoutLimit: 9_000_000 }), encodeReset(), exec],
    script: [step(ROOM), ...times(20, step(STDOUT, 31)), step(EXIT, 1), ...times(20, step(ROOM, 9))],
  },
  'slow-host-many-answers': {
    frames: times(20_000, put('..', 0)),
    script: [step(ROOM), ...times(60, step(ROOM, 1))],
  },
  'slow-fetch': {
    frames: [encodeFetch('a', 900_000), exec, encodeFetch('a', 1)],
    script: [step(PLANT, 15), step(ROOM), ...times(20, step(ROOM, 31))],
  },
  'garbage-behind-a-fetch': {
    frames: [encodeFetch('a', 900_000), garbage],
    script: [step(PLANT, 15), step(ROOM), ...times(20, step(ROOM, 31))],
  },
  sample: { frames: [exec], script: times(3, step(SPAWN), step(PLANT, FIRST_PAUSE + 1)) },
  timeout: {
    frames: [exec],
    script: [...times(2, step(SPAWN)), step(PLANT, FIRST_PAUSE + 3), step(PLANT, FIRST_PAUSE + 4)],
  },
  cpu: {
    frames: [encodeExec({ ...request, cpuMs: 9, wallMs: 9000 })],
    script: [step(SPAWN), ...times(4, step(PLANT, FIRST_PAUSE + 1))],
  },
  signal: { frames: [exec], script: [...times(2, step(SPAWN)), step(EXIT, 26)] },
  'held-pipe': { frames: [exec, exec], script: [...times(2, step(SPAWN)), step(EXIT, 31)] },
  ...named('spawn', [1, 2, 3, 4], (mode) => ({ frames: [exec, exec], script: times(3, step(SPAWN, mode)) })),
  ...named('plant', [...Array(FIRST_PAUSE).keys()], (kind) => ({
    frames: ['a', 'f'].flatMap((name) => [
      encodeFetch(name, 9000),
      put(name),
      encodeFetch(name, 9000),
      put(`${name}/x`),
      encodeFetch(`${name}/secret`, 99),
      encodeReset(),
    ]),
    script: times(9, step(PLANT, kind)),
  })),
}

function named(
  prefix: string,
  values: readonly number[],
  seed: (value: number) => Seed,
): Record<string, Seed> {
  return Object.fromEntries(values.map((value) => [`${prefix}-${value}`, seed(value)]))
}

/** An input as the harness takes it: frames, script, and the script's length in one byte. */
export function seedBytes({ frames, script = [] }: Seed): Uint8Array {
  return Buffer.concat([...frames, Uint8Array.from([...script, script.length])])
}
