/** One jump or statement of classic BPF: code, jump if true, jump if false, value. */
type Instruction = readonly [code: number, jt: number, jf: number, k: number]

const LOAD = 0x20 // BPF_LD | BPF_W | BPF_ABS
const AND = 0x54 // BPF_ALU | BPF_AND | BPF_K
const JUMP = 0x05 // BPF_JMP | BPF_JA
const JUMP_EQUAL = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_AT_LEAST = 0x35 // BPF_JMP | BPF_JGE | BPF_K
const RETURN = 0x06 // BPF_RET | BPF_K

/** Offsets in the kernel's `struct seccomp_data`, in bytes. */
const NUMBER = 0
const ARCHITECTURE = 4
const ARGUMENTS = 16
const INSTRUCTION_BYTES = 8
/** The kernel's maximum. */
const MAX_INSTRUCTIONS = 4096

/** What the kernel does with a call: a `SECCOMP_RET_…` value. */
export type FilterVerdict = number

/** SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, and SECCOMP_RET_ERRNO with an error number. */
export const ALLOW: FilterVerdict = 0x7fff_0000
export const KILL: FilterVerdict = 0x8000_0000
export const refuse = (errno: number): FilterVerdict => 0x0005_0000 | errno

/** A comparison of one argument, all 64 bits of it, after a mask. */
export interface Comparison {
  readonly argument: number
  /** @default all bits */
  readonly mask?: bigint
  readonly equals: bigint
}

/** Alternatives in order: the first whose comparisons all hold decides; without any, the last word is `otherwise`. */
export interface Decision {
  readonly lines: readonly { readonly when: readonly Comparison[]; readonly verdict: FilterVerdict }[]
  readonly otherwise: FilterVerdict
}

/** Decisions on calls, by number, of one architecture. */
export interface FilterPlan {
  /** The kernel's `AUDIT_ARCH_…` value. A call through any other ABI ends the process. */
  readonly audit: number
  /** Numbers from the first up to the second belong to another ABI with the same `audit`. @default none */
  readonly foreign?: readonly [from: number, to: number] | undefined
  readonly calls: ReadonlyMap<number, Decision>
  /** FilterVerdict on calls that are not in `calls`. */
  readonly otherwise: FilterVerdict
}

/** Calls from this number on have the same decision, up to the next range. */
interface Range {
  readonly from: number
  readonly decision: Decision
}

/**
 * Compiles decisions to the classic BPF program that the kernel takes for seccomp: a binary search over ranges of numbers.
 *
 * @returns an array of `struct sock_filter`, as libseccomp exports it and the kernel takes it
 */
export function filterProgram({ audit, foreign, calls, otherwise }: FilterPlan): Uint8Array {
  const program = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    ...search(rangesOf(calls, { lines: [], otherwise }, foreign)),
  ] satisfies Instruction[]
  if (program.length > MAX_INSTRUCTIONS) throw new RangeError(`${program.length} instructions are too many`)
  return encoded(program)
}

function rangesOf(
  calls: ReadonlyMap<number, Decision>,
  otherwise: Decision,
  foreign: FilterPlan['foreign'],
): Range[] {
  const ranges: Range[] = [{ from: 0, decision: otherwise }]
  const add = (from: number, decision: Decision) => {
    const last = ranges.at(-1)
    if (last?.from === from) ranges.pop()
    if (!isSame(ranges.at(-1)?.decision, decision)) ranges.push({ from, decision })
  }
  for (const [number, decision] of [...calls].sort(([a], [b]) => a - b)) {
    add(number, decision)
    add(number + 1, otherwise)
  }
  if (foreign !== undefined) {
    add(foreign[0], { lines: [], otherwise: KILL })
    add(foreign[1], otherwise)
  }
  return ranges
}

function isSame(one: Decision | undefined, other: Decision): boolean {
  if (one === undefined || one.lines.length > 0 || other.lines.length > 0) return one === other
  return one.otherwise === other.otherwise
}

function search(ranges: readonly Range[]): Instruction[] {
  const [first] = ranges
  if (first === undefined) return []
  if (ranges.length === 1) return decide(first.decision)
  const middle = ranges.length >> 1
  const below = search(ranges.slice(0, middle))
  // Only an unconditional jump reaches further than 255 instructions.
  return [
    [JUMP_AT_LEAST, 0, 1, ranges[middle]?.from ?? 0],
    [JUMP, 0, 0, below.length],
    ...below,
    ...search(ranges.slice(middle)),
  ]
}

function decide({ lines, otherwise }: Decision): Instruction[] {
  return [
    ...lines.flatMap(({ when, verdict }) => {
      const words = when
        .flatMap(wordsOf)
        .map(({ offset, mask, equals }): Instruction[] => [
          [LOAD, 0, 0, offset],
          ...(mask === FULL ? [] : [[AND, 0, 0, mask] as const]),
          [JUMP_EQUAL, 0, 0, equals],
        ])
      const tests = words.flat()
      // A comparison that fails jumps behind the line's verdict.
      return [
        ...tests.map(
          ([code, jt, jf, k], index): Instruction =>
            code === JUMP_EQUAL ? [code, jt, tests.length - index, k] : [code, jt, jf, k],
        ),
        [RETURN, 0, 0, verdict] as const,
      ]
    }),
    [RETURN, 0, 0, otherwise],
  ]
}

const FULL = 0xffff_ffff

/** Both halves of an argument: the kernel's classic BPF has words of 32 bits. Low bytes come first on x64 and arm64. */
function wordsOf({ argument, mask = 2n ** 64n - 1n, equals }: Comparison) {
  const at = ARGUMENTS + 8 * argument
  const half = (value: bigint, shift: bigint) => Number((value >> shift) & BigInt(FULL))
  return [
    { offset: at, mask: half(mask, 0n), equals: half(equals, 0n) },
    { offset: at + 4, mask: half(mask, 32n), equals: half(equals, 32n) },
  ].filter((word) => word.mask !== 0 || word.equals !== 0)
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES)
  for (const [index, [code, jt, jf, k]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(jt, at + 2)
    bytes.writeUInt8(jf, at + 3)
    bytes.writeUInt32LE(k, at + 4)
  }
  return bytes
}
