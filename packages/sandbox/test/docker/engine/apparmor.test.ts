import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAppArmor } from '../../../src/docker/engine/apparmor.ts'

let folder: string
let loaded: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-apparmor-'))
  loaded = join(folder, 'profiles')
  await writeFile(loaded, 'docker-default (enforce)\nisopod (enforce)\nisopod-new (complain)\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const check = (appArmor: string | undefined, { hasAppArmor = true, address = '/var/run/docker.sock' } = {}) =>
  checkAppArmor({ appArmor, address }, { hasAppArmor }, loaded)

describe('an AppArmor profile', () => {
  it('is optional', async () => {
    await expect(check(undefined, { hasAppArmor: false })).resolves.toBeUndefined()
  })

  it('is accepted if it is loaded and enforced', async () => {
    await expect(check('isopod')).resolves.toBeUndefined()
  })

  it('is accepted if the list cannot be read or belongs to another host', async () => {
    await expect(check('elsewhere', { address: 'tcp://10.0.0.1:2375' })).resolves.toBeUndefined()
    const unread = checkAppArmor({ appArmor: 'isopod', address: '/s' }, { hasAppArmor: true }, '/nowhere')
    await expect(unread).resolves.toBeUndefined()
  })

  it.each([
    ['isopod', { hasAppArmor: false }, "the engine's host has no AppArmor"],
    ['iso', {}, '"iso" is not loaded'],
    ['isopod-new', {}, 'is not enforced, it is (complain)'],
    ['unconfined', {}, 'would confine nothing'],
  ])('is refused: %s %o', async (name, changes, words) => {
    await expect(check(name, changes)).rejects.toThrow(words)
  })
})
