import type { Execution } from '@isopod/sandbox'

/**
 * The key of the containers that the runs of one role share in a batch; undefined if it shares none. Judges are never in containers that
 * had the code in them.
 */
export function sharedInRole(
  { sharedBy }: Pick<Execution, 'sharedBy'>,
  role: 'judge' | 'confirm',
): string | undefined {
  return sharedBy === undefined ? undefined : JSON.stringify([sharedBy, null, role])
}

/**
 * A second run in containers of its own. In one that served the first run, as jobs of a batch share them, code could find out that its
 * first answers were wrong.
 */
export function withOwnContainers<P extends { readonly execution: Execution }>(planned: P): P {
  return { ...planned, execution: { ...planned.execution, sharedBy: undefined } }
}
