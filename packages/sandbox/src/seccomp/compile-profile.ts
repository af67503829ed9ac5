import { readFile } from 'node:fs/promises'
import type { Architecture } from '@isopod/init'
import { ConfigError } from '@isopod/protocol'
import { z } from 'zod'
import {
  ALLOW,
  type Comparison,
  type Decision,
  type FilterVerdict,
  filterProgram,
  KILL,
  refuse,
} from './filter-program.ts'

/** Numbers of system calls, by architecture and name. */
const NUMBERS = new URL('../../../../deploy/seccomp/call-numbers.json', import.meta.url)

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
/** Numbers of the x32 ABI; -1 is none of them. Under a profile that allows by default, they would bypass every rule. */
const FOREIGN: Readonly<Partial<Record<Architecture, readonly [number, number]>>> = {
  x64: [0x4000_0000, 0xffff_ffff],
}
const EPERM = 1

const argument = z.strictObject({
  index: z.int().min(0).max(5),
  op: z.enum(['SCMP_CMP_EQ', 'SCMP_CMP_MASKED_EQ']),
  value: z.int().min(0),
  valueTwo: z.int().min(0).optional(),
})
const action = z.enum(['SCMP_ACT_ALLOW', 'SCMP_ACT_ERRNO', 'SCMP_ACT_KILL_PROCESS'])
const errno = z.int().min(0).max(4095).optional()
/** What this compiler understands of Docker's format. Anything else is refused, so that no rule is left out. */
const profileSchema = z.strictObject({
  defaultAction: action,
  defaultErrnoRet: errno,
  architectures: z.array(z.string()).optional(),
  syscalls: z.array(
    z.strictObject({
      names: z.array(z.string()),
      action,
      errnoRet: errno,
      args: z.array(argument).optional(),
      comment: z.string().optional(),
    }),
  ),
})

type Numbers = Readonly<Record<string, number>>

/** Numbers of the calls of one architecture, by name. */
export async function callNumbers(architecture: Architecture): Promise<Numbers> {
  // Shipped with this code; a spec compares it with the kernel's headers.
  const all = JSON.parse(await readFile(NUMBERS, 'utf8')) as Record<Architecture, Numbers>
  return all[architecture]
}

/**
 * Compiles a profile in Docker's format for one architecture.
 *
 * @param profile as JSON, as the engine would take it
 * @param numbers calls without a number here do not exist on the architecture: nothing can make them
 * @returns the program for seccomp, an array of `struct sock_filter`
 * @throws {ConfigError} if the profile has rules that only an engine understands, such as conditions on capabilities
 */
export function compileProfile(profile: string, architecture: Architecture, numbers: Numbers): Uint8Array {
  const parsed = profileSchema.safeParse(JSON.parse(profile))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue?.path.length ? `${issue.path.join('.')}: ` : ''
    throw new ConfigError(
      `ISOPOD_SECCOMP_PROFILE: ${field}${issue?.message}; the process driver takes names, action, errnoRet and args only`,
    )
  }
  const { defaultAction, defaultErrnoRet, syscalls } = parsed.data
  const otherwise = verdictOf(defaultAction, defaultErrnoRet)
  const calls = new Map<number, Decision>()
  // As in libseccomp, the first rule without conditions makes every other rule of the call void.
  const decided = new Set<number>()
  for (const { names, action, errnoRet, args = [] } of syscalls) {
    const verdict = verdictOf(action, errnoRet)
    for (const name of names) {
      const number = numbers[name]
      if (number === undefined || decided.has(number)) continue
      if (args.length === 0) {
        decided.add(number)
        calls.set(number, { lines: [], otherwise: verdict })
      } else {
        const lines = calls.get(number)?.lines ?? []
        calls.set(number, { lines: [...lines, { when: args.map(comparisonOf), verdict }], otherwise })
      }
    }
  }
  return filterProgram({ audit: AUDIT[architecture], foreign: FOREIGN[architecture], calls, otherwise })
}

function verdictOf(asked: z.infer<typeof action>, errnoRet = EPERM): FilterVerdict {
  if (asked === 'SCMP_ACT_ALLOW') return ALLOW
  return asked === 'SCMP_ACT_ERRNO' ? refuse(errnoRet) : KILL
}

function comparisonOf({ index, op, value, valueTwo = 0 }: z.infer<typeof argument>): Comparison {
  if (op === 'SCMP_CMP_EQ') return { argument: index, equals: BigInt(value) }
  return { argument: index, mask: BigInt(value), equals: BigInt(valueTwo) }
}
