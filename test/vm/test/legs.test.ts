import { existsSync, globSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { LEFT_OUT } from '../left-out.ts'
import { LEGS } from '../legs.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SYSTEM = ['{packages,apps}/*/test/**/system/**/*.test.ts', 'test/{e2e,security,chaos}/**/*.test.ts']

describe('the legs of the virtual machines', () => {
  const all = globSync(SYSTEM, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  const run = new Set(LEGS.flatMap(({ specs }) => specs))
  const leftOut = Object.keys(LEFT_OUT)

  const isLeftOut = (file: string) => leftOut.some((pattern) => matchesGlob(file, pattern))

  it('run each system spec that LEFT_OUT does not exclude with a reason', () => {
    expect(all.length).toBeGreaterThan(50)
    expect(all.filter((file) => !run.has(file) && !isLeftOut(file))).toEqual([])
  })

  it('run no excluded spec, and name only existing files', () => {
    expect([...run].filter(isLeftOut)).toEqual([])
    // Unit specs that depend on the kernel run, too.
    expect([...run].filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(leftOut.filter((pattern) => !all.some((file) => matchesGlob(file, pattern)))).toEqual([])
  })

  it('have unique names and a timeout', () => {
    const names = LEGS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { minutes } of LEGS) expect(minutes).toBeGreaterThan(0)
  })
})
