import type { Stack, StackDriver } from '@isopod/devstack'
import { UsageError } from '@isopod/service-kit'

const DRIVERS = ['docker', 'process'] as const satisfies readonly StackDriver[]

/**
 * The driver of stacks that a command with this environment starts.
 *
 * @throws {UsageError} if there is no such driver
 */
export function driverOf({ ISOPOD_DRIVER: given }: NodeJS.ProcessEnv): StackDriver {
  if (!given) return 'docker'
  const known = DRIVERS.find((driver) => driver === given)
  if (known !== undefined) return known
  throw new UsageError(`ISOPOD_DRIVER: must be ${DRIVERS.join(' or ')}, got ${JSON.stringify(given)}`)
}

/** Whether a stack has the driver that the environment names; any will do if it names none. */
export function fitsDriver(stack: Stack, env: NodeJS.ProcessEnv): boolean {
  return !env['ISOPOD_DRIVER'] || (stack.engine === undefined) === (driverOf(env) === 'process')
}
