/** A call as the kernel shows it to a seccomp filter. */
export interface FilteredCall {
  /** `AUDIT_ARCH_…`. */
  readonly audit: number
  readonly number: number
  readonly args?: readonly bigint[]
}

export const AUDIT_ARCH = {
  x64: 0xc000_003e,
  arm64: 0xc000_00b7,
  i386: 0x4000_0003,
  arm: 0x4000_0028,
} as const

const INSTRUCTION_BYTES = 8
const DATA_BYTES = 64
/** Maximum number of instructions that the kernel takes. */
const MAX_INSTRUCTIONS = 4096

/**
 * Runs a classic BPF program over a call, as the kernel does for seccomp (linux/bpf_common.h, linux/seccomp.h).
 *
 * @returns the `SECCOMP_RET_…` value
 * @throws {Error} if the kernel would refuse the program
 */
export function runFilter(program: Uint8Array, call: FilteredCall): number {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const count = program.byteLength / INSTRUCTION_BYTES
  if (!Number.isInteger(count) || count < 1 || count > MAX_INSTRUCTIONS)
    throw new Error(`${count} instructions`)
  const data = dataOf(call)
  let accumulator = 0
  for (let at = 0; at < count; at++) {
    const base = at * INSTRUCTION_BYTES
    const opcode = code.getUint16(base, true)
    const k = code.getUint32(base + 4, true)
    const jump = (holds: boolean) => code.getUint8(base + (holds ? 2 : 3))
    switch (opcode) {
      case 0x20: // LD W ABS
        if (k % 4 !== 0 || k >= DATA_BYTES) throw new Error(`instruction ${at} loads from ${k}`)
        accumulator = data.getUint32(k, true)
        break
      case 0x54: // ALU AND K
        accumulator = (accumulator & k) >>> 0
        break
      case 0x05: // JMP JA
        at += k
        break
      case 0x15: // JMP JEQ K
        at += jump(accumulator === k)
        break
      case 0x25: // JMP JGT K
        at += jump(accumulator > k)
        break
      case 0x35: // JMP JGE K
        at += jump(accumulator >= k)
        break
      case 0x06: // RET K
        return k
      default:
        throw new Error(`instruction ${at} has the unknown code 0x${opcode.toString(16)}`)
    }
  }
  throw new Error('the program runs past its end')
}

/** `struct seccomp_data` in the byte order of x64 and arm64. */
function dataOf({ audit, number, args = [] }: FilteredCall): DataView {
  const data = new DataView(new ArrayBuffer(DATA_BYTES))
  data.setUint32(0, number, true)
  data.setUint32(4, audit, true)
  for (let index = 0; index < 6; index++) data.setBigUint64(16 + 8 * index, args[index] ?? 0n, true)
  return data
}
