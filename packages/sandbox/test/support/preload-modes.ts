import type { Language } from '@isopod/protocol'
import { shippedCatalogue } from '../../../../test/support/shipped-catalogue.ts'
import { scaled } from '../../../../test/support/time-factor.ts'
import { ContainerMaker } from '../../src/acquire/container-maker.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import { runExecution } from '../../src/execution/run-execution.ts'
import { limits } from './execution.ts'
import { KeptContainers } from './kept-containers.ts'
import { openTestDriver } from './open-driver.ts'

/** The ways to start a program. A program must not be able to notice which one was used. */
export const MODES = {
  plain: {},
  preloaded: { preload: true },
  forked: { preload: true, sharedBy: 'a batch' },
} as const satisfies Record<string, Partial<Execution>>

/** Limits of programs that name none. On a busy host, short ones took 17 seconds. */
export const ONE_CPU = limits({ cpus: 1, timeoutSeconds: 90 })

/** A way to start a program. */
export type Mode = keyof typeof MODES

/** Runs programs in each mode, and reuses containers. */
export interface Modes {
  readonly containers: KeptContainers
  language(name: string): Language
  run(mode: Mode, language: string, code: string, changes?: Partial<Execution>): Promise<Outcome>
  close(): Promise<void>
}

/** @param images of the languages that are run */
export async function openModes(images: readonly string[]): Promise<Modes> {
  const catalogue = await shippedCatalogue()
  const deployment = `preload-${process.pid}`
  const driver = await openTestDriver({ deployment, owner: deployment, images })
  const containers = new KeptContainers(new ContainerMaker(driver))
  let count = 0
  const language = (name: string) => {
    const found = catalogue.find(name)
    if (found === undefined) throw new Error(`${name} is not in the catalogue`)
    return found
  }
  return {
    containers,
    language,
    run: (mode, name, code, changes = {}) => {
      const id = `j-preload-${process.pid}-${++count}`
      const base = { id, attempt: 1, language: language(name), code, limits: ONE_CPU }
      return runExecution(
        { ...base, ...changes, ...MODES[mode] },
        { containers },
        AbortSignal.timeout(scaled(100_000)),
      )
    },
    close: async () => {
      await containers.close()
      await driver.close()
    },
  }
}

/** The part of an outcome that must not depend on the mode: everything except measurements. */
export function comparable(outcome: Outcome) {
  const { status, exitCode, signal, limit, compileOutput, limitsApplied, errorMessage } = outcome
  const stream = ({ bytes, produced, truncated }: Outcome['stdout']) => {
    return { text: Buffer.from(bytes).toString('latin1'), produced, truncated }
  }
  const streams = { stdout: stream(outcome.stdout), stderr: stream(outcome.stderr) }
  return { status, exitCode, signal, limit, ...streams, compileOutput, limitsApplied, errorMessage }
}
