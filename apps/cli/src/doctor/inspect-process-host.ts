import {
  checkProcessHost,
  IMAGES,
  openRoots,
  outdatedRoots,
  stackPaths,
  USUAL_IMAGES,
} from '@isopod/devstack'
import { damageText } from '../root-damage.ts'
import type { Finding } from './finding.ts'

const MAKE = 'and so do demo, up and run with this driver'

/** Checks what the process driver needs of this host, and its roots. */
export async function inspectProcessHost(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const host = await checkProcessHost(env)
  return [
    ...host.map(({ subject, isFine, text }): Finding => ({ state: isFine ? 'ok' : 'failed', subject, text })),
    ...(await inspectRoots(env)),
  ]
}

/** Checks that the usual languages have roots, and that no root was changed. */
export async function inspectRoots(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const subject = 'roots'
  const store = await openRoots(env)
  const roots = await store.list()
  const missing = USUAL_IMAGES.filter(
    (name) => !roots.some(({ references }) => references.includes(IMAGES[name])),
  )
  const findings: Finding[] = []
  if (missing.length > 0) {
    const text = `none of ${missing.join(', ')} in ${stackPaths(env).roots}; isopod roots make ${missing.join(' ')} makes them, ${MAKE}`
    findings.push({ state: 'absent', subject, text })
  }
  for (const { digest, references } of roots) {
    const damage = damageText(references[0] ?? digest, await store.verify(digest))
    if (damage !== undefined) findings.push({ state: 'failed', subject, text: `that ${damage}` })
  }
  if (findings.length > 0) return findings
  const outdated = await outdatedRoots(USUAL_IMAGES, env)
  const text = `${roots.length}, as they were unpacked`
  if (outdated.length === 0) return [{ state: 'ok', subject, text }]
  const remedy = `isopod roots make ${outdated.join(' ')} makes newer ones, ${MAKE}`
  return [{ state: 'warning', subject, text: `${text}; the recipes have changed: ${remedy}` }]
}
