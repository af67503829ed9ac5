import { encodeExec, encodeKill, encodeReset } from '../../src/encode.ts'
import { encodeNetDrop, encodeNetFinish, encodeNetGrant, encodeNetWrite } from '../../src/encode-net.ts'
import { MAX_NET_BYTES, MAX_NET_WINDOW_BYTES } from '../../src/wire.ts'
import { sampleExec } from '../samples.ts'
import { EXIT, FIRST_PAUSE, net, PLANT, ROOM, type Seed, SPAWN, STDOUT, step, times } from './script.ts'

const request = sampleExec({ wallMs: 500, stdoutLimit: 900_000, stderrLimit: 9, tunnel: true })
const exec = encodeExec(request)
const write = (stream: number, size: number) => encodeNetWrite(stream, new Uint8Array(size))
/** One step for the exec frame, followed by steps of connections. */
const connect = (count = 1) => [step(SPAWN), ...net('connect', 0, count - 1), step(SPAWN)]
/** Kinds of failures, in the order of the fuzz harness's `net.c`. */
const FAILURES = [...Array(14).keys()]

/** Inputs with a tunnel: each stream frame, and each way in which a connection opens, transfers and closes. */
export const NET_SEEDS: Readonly<Record<string, Seed>> = {
  'net-up': {
    frames: [exec, encodeNetGrant(1, 9000), encodeNetFinish(1)],
    script: [...connect(), ...times(6, ...net('send', 0, 12)), ...net('end')],
  },
  'net-down': {
    frames: [exec, write(1, 9000), write(1, MAX_NET_BYTES), encodeNetFinish(1)],
    script: [...connect(), ...times(30, ...net('read', 0, 1)), ...net('end')],
  },
  'net-window': {
    frames: [exec, ...times(5, write(1, MAX_NET_BYTES)), encodeNetFinish(1), encodeKill()],
    script: [...connect(), ...times(60, ...net('read', 0, 1))],
  },
  'net-ring': {
    frames: [exec, ...times(9, write(1, 10_000)), encodeKill()],
    script: [...connect(), ...times(90, ...net('read', 0, 1))],
  },
  'net-grants': {
    frames: [exec, ...times(4, encodeNetGrant(1, MAX_NET_BYTES)), encodeNetDrop(1)],
    script: [...connect(), ...times(60, ...net('send', 0, 9))],
  },
  'net-too-much': {
    frames: [exec, ...times(9, write(1, MAX_NET_BYTES))],
    script: [...connect(), ...times(12, ...net('insist')), ...times(9, ...net('read', 0, 31))],
  },
  'net-granted-too-much': {
    frames: [exec, encodeNetGrant(1, MAX_NET_WINDOW_BYTES)],
    script: [...connect(), ...net('send', 0, 3)],
  },
  'net-unknown': { frames: [write(7, 3), exec, encodeNetGrant(9, 1), encodeNetDrop(9), encodeNetFinish(9)] },
  'net-many': {
    frames: [exec, ...[3, 1, 2].map((id) => encodeNetDrop(id)), write(4, 300), encodeNetFinish(5), exec],
    script: [...connect(32), ...net('connect', 0, 31), ...times(20, ...net('send', 3, 5)), step(EXIT)],
  },
  'net-close': {
    frames: [exec, write(1, 9000), write(2, 9000), encodeNetFinish(2)],
    script: [...connect(2), ...net('send', 0, 2), ...net('close'), ...net('read', 0, 1), ...net('close')],
  },
  'net-dropped': {
    frames: [exec, write(1, 9000), encodeNetDrop(1), write(1, 5), encodeNetDrop(1), write(2, 5)],
    script: [...connect(), ...net('connect'), ...times(4, ...net('read', 0, 9))],
  },
  'net-two-runs': {
    frames: [exec, write(1, 30), encodeKill(), encodeReset(), exec, write(1, 30), write(2, 30)],
    script: [...connect(2), ...times(6, step(SPAWN)), ...connect(3), ...net('read', 1, 1)],
  },
  'net-not-granted': {
    frames: [encodeExec({ ...request, tunnel: false }), write(1, 30)],
    script: connect(),
  },
  'net-behind-output': {
    frames: [exec, encodeNetDrop(1)],
    script: [
      step(SPAWN),
      step(ROOM),
      ...times(9, step(STDOUT, 31)),
      ...net('connect', 0, 9),
      ...times(5, ...net('send', 2, 9)),
      ...times(9, step(ROOM, 31)),
    ],
  },
  'net-in-pieces': {
    frames: [exec, write(1, 3000), encodeNetFinish(1), encodeNetGrant(1, 700)],
    script: [...connect(), ...net('piece', 0, 30), ...net('send', 0, 3), ...times(40, ...net('read', 0, 1))],
  },
  'net-timeout': {
    frames: [exec, write(1, 30)],
    script: [...connect(), step(PLANT, FIRST_PAUSE + 4)],
  },
  ...Object.fromEntries(
    FAILURES.map((failure): [string, Seed] => [
      `net-failure-${failure}`,
      {
        frames: [exec, write(1, 900), write(2, 900), exec],
        script: [
          ...net('fail', 0, failure),
          ...connect(3),
          ...net('fail', 0, failure),
          ...net('send', 0, 9),
          step(PLANT, FIRST_PAUSE + 2),
        ],
      },
    ]),
  ),
}
