import { parseArgs } from 'node:util'
import { ARCHITECTURES, type VmArchitecture } from './machine.ts'

/** Options of a run in virtual machines. */
export interface VmOptions {
  readonly architecture: VmArchitecture
  /** Names of the legs to run. */
  readonly legs: readonly string[]
  /** Spec files to run instead of the legs' own. */
  readonly specs: readonly string[] | undefined
  /** Pattern for the names of the tests to run; undefined for all. */
  readonly only: string | undefined
  /** Whether to show the output of the guest's kernel and services. */
  readonly console: boolean
  /** Minutes that one leg may take; undefined for the leg's own bound. */
  readonly deadline: number | undefined
  /** Whether to rebuild the disks. */
  readonly fresh: boolean
}

/** A parsed command line. */
export type VmRequest =
  | { readonly kind: 'run'; readonly options: VmOptions }
  | { readonly kind: 'help' | 'list' }

/** The command line is invalid; the message names the option, what is allowed and what was given. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** What `--help` prints. */
export const HELP = `npm run test:vm -- [options]

Runs specs in emulated machines with another kernel than this host's: cgroup v2, systemd, AppArmor, arm64.

  --arch x64|arm64  the processor  [x64]
  --leg NAME        this leg only; may be repeated
  --spec PATH       this spec file instead of the leg's own; may be repeated
  --only PATTERN    only tests whose names match
  --list            the legs, and which specs are left out and why
  --console         show the output of the guest's kernel and services
  --deadline MIN    end a leg after so many minutes  [the leg's own bound]
  --fresh           rebuild the disks
  --help

The exit code is 1 if a test failed or a leg could not be run, 2 for a wrong option, 130 after Ctrl-C.
`

/**
 * Reads a command line.
 *
 * @param legsOf names of all legs of a processor
 * @throws {UsageError}
 */
export function parseOptions(
  argv: readonly string[],
  legsOf: (architecture: VmArchitecture) => readonly string[],
): VmRequest {
  const values = parsed(argv)
  if (values.help) return { kind: 'help' }
  if (values.list) return { kind: 'list' }
  const architecture = ARCHITECTURES.find((each) => each === (values.arch ?? 'x64'))
  if (architecture === undefined) throw wrong('--arch', ARCHITECTURES, values.arch)
  const all = legsOf(architecture)
  for (const leg of values.leg ?? []) if (!all.includes(leg)) throw wrong('--leg', all, leg)
  const specs = values.spec
  if (specs !== undefined && values.leg !== undefined && values.leg.length > 1) {
    throw new UsageError('--spec: goes with one --leg, got several')
  }
  // The user's spec files run in the first leg unless another one is named.
  const legs = values.leg ?? (specs === undefined ? all : all.slice(0, 1))
  return {
    kind: 'run',
    options: {
      architecture,
      legs,
      specs,
      only: values.only,
      console: values.console ?? false,
      deadline: minutesOf(values.deadline),
      fresh: values.fresh ?? false,
    },
  }
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        arch: { type: 'string' },
        leg: { type: 'string', multiple: true },
        spec: { type: 'string', multiple: true },
        only: { type: 'string' },
        list: { type: 'boolean' },
        console: { type: 'boolean' },
        deadline: { type: 'string' },
        fresh: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function minutesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new UsageError(`--deadline: must be minutes, 1 to 9999, got ${JSON.stringify(text)}`)
}

function wrong(option: string, allowed: readonly string[], given: string | undefined): UsageError {
  return new UsageError(`${option}: must be one of ${allowed.join(', ')}, got ${JSON.stringify(given)}`)
}
