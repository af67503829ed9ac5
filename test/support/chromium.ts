import { findProgram, installPackages } from '@isopod/devstack'

/** The reason of specs that are skipped without a browser; the installer's error is printed above it. */
export const NO_CHROMIUM = 'no Chromium'

/** Path of Debian's Chromium, installed if necessary; undefined if that fails. */
export async function findChromium(specs: string): Promise<string | undefined> {
  try {
    await installPackages(['chromium'], (line) => console.error(`${specs}: ${line}`))
  } catch (error) {
    console.error(`${specs}: no Chromium: ${error}`)
  }
  return await findProgram('chromium')
}
