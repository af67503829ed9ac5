import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@isopod/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSeccompProfile } from '../../src/seccomp/load.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-profile-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function load(content: string): Promise<string> {
  const file = join(folder, 'profile.json')
  await writeFile(file, content)
  return await loadSeccompProfile(file, 'x64')
}

describe('the seccomp profile of a worker', () => {
  it('is the built-in one by default, small enough to send with each container', async () => {
    const profile = await loadSeccompProfile(undefined, 'x64')
    expect(JSON.parse(profile)).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO' })
    expect(profile.length).toBeLessThan(16_384)
  })

  it.each([
    '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"names":["read"],"action":"SCMP_ACT_ALLOW"}]}',
    '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mount"],"action":"SCMP_ACT_ERRNO"}]}',
  ])('is what the operator’s file holds: %s', async (content) => expect(await load(content)).toBe(content))

  it.each([
    ['unconfined', /not JSON/],
    ['[]', /JSON object, got a list/],
    ['null', /JSON object/],
    ['{}', /defaultAction/],
    ['{"defaultAction":7}', /defaultAction/],
    ['{"defaultAction":"SCMP_ACT_ALLOW"}', /refuse at least one/],
    ['{"defaultAction":"SCMP_ACT_LOG","syscalls":[]}', /refuse at least one/],
    ['{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[]}', /refuse at least one/],
    [
      '{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["read"],"action":"SCMP_ACT_ALLOW"}]}',
      /refuse at least one/,
    ],
  ])('is refused where the file holds %s', async (content, reason) => {
    const loading = load(content)
    await expect(loading).rejects.toThrow(ConfigError)
    await expect(loading).rejects.toThrow(reason)
    await expect(loading).rejects.toThrow(/^ISOPOD_SECCOMP_PROFILE: /)
  })

  it('is refused if its file does not exist', async () => {
    const loading = loadSeccompProfile('/nowhere/profile.json', 'x64')
    await expect(loading).rejects.toThrow(ConfigError)
    await expect(loading).rejects.toThrow(/^ISOPOD_SECCOMP_PROFILE: .*\/nowhere\/profile\.json.*ENOENT/)
  })
})
