import { readFile } from 'node:fs/promises'
import { TerminalError } from '@isopod/protocol'
import type { EngineFacts } from './engine-facts.ts'

/** The kernel's loaded profiles, a line each, as `isopod (enforce)`; readable for root on the host itself. */
const LOADED = '/sys/kernel/security/apparmor/profiles'

/**
 * Checks that an AppArmor profile is enforced. If the list of profiles cannot be read here, nothing is checked, and an engine
 * without the profile fails to start the first container.
 *
 * @param loaded file with the kernel's list
 * @throws {TerminalError} if the engine's host has no AppArmor, lacks the profile, or does not enforce it
 */
export async function checkAppArmor(
  { appArmor, address }: { readonly appArmor?: string | undefined; readonly address: string },
  { hasAppArmor }: Pick<EngineFacts, 'hasAppArmor'>,
  loaded: string = LOADED,
): Promise<void> {
  if (appArmor === undefined) return
  const setting = `ISOPOD_APPARMOR_PROFILE: ${JSON.stringify(appArmor)}`
  if (appArmor === 'unconfined') throw new TerminalError(`${setting} would confine nothing`)
  if (!hasAppArmor) {
    throw new TerminalError(
      `${setting} cannot be enforced: the engine's host has no AppArmor; unset the variable`,
    )
  }
  // The engine's host may be another one.
  if (!/^(unix:|\/)/.test(address)) return
  const list = await readFile(loaded, 'utf8').catch(() => undefined)
  if (list === undefined) return
  const line = list.split('\n').find((each) => each.startsWith(`${appArmor} (`))
  if (line === undefined) {
    throw new TerminalError(
      `${setting} is not loaded; load it with: apparmor_parser -r deploy/apparmor/isopod`,
    )
  }
  if (!line.endsWith('(enforce)')) {
    throw new TerminalError(`${setting} is not enforced, it is ${line.slice(appArmor.length + 1)}`)
  }
}
