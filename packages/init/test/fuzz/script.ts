/** A fuzz input: the host's frames, and a script with one step for each turn of the harness. */
export interface Seed {
  readonly frames: readonly Uint8Array[]
  readonly script?: readonly number[]
}

/** The low three bits of a step; the harness is `fuzz/harness/host.c`. */
export const SPAWN = 0
export const STDOUT = 1
export const STDERR = 2
export const READ = 3
export const EXIT = 4
export const ROOM = 5
export const PLANT = 6
export const CHUNK = 7
/** A PLANT step of this kind or above lets 2^kind microseconds pass instead of planting a file. */
export const FIRST_PAUSE = 16
/** A SPAWN step of this kind or above is a step of a connection instead, in the order of `enum net_step`. */
const FIRST_NET_STEP = 5
const NET_STEPS = ['connect', 'send', 'read', 'end', 'close', 'fail', 'piece', 'insist'] as const

/** One byte of a script. */
export const step = (what: number, much = 0): number => what | (much << 3)

/** A step of the program's nth connection, in two bytes. */
export const net = (what: (typeof NET_STEPS)[number], nth = 0, much = 0): number[] => [
  step(SPAWN, FIRST_NET_STEP + NET_STEPS.indexOf(what)),
  nth | (much << 3),
]

/** Repeats the items. */
export const times = <T>(count: number, ...items: readonly T[]): T[] =>
  Array.from({ length: count }, () => items).flat()
