import { findProgram, installPackages } from '@isopod/devstack'

/** Debian's Chromium; undefined where it cannot be had, and then it is said why specs are skipped. */
export async function findChromium(specs: string): Promise<string | undefined> {
  try {
    await installPackages(['chromium'], (line) => console.error(`${specs}: ${line}`))
  } catch (error) {
    console.error(`${specs}: skipped without Chromium: ${error}`)
  }
  return await findProgram('chromium')
}
