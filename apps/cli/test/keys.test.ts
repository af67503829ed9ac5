import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccess } from '@isopod/access'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { cli, fakeClient, servicesWith } from './support.ts'

let directory: string
let server: RedisServer

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'isopod-keys-'))
  server = await startRedisServer({ directory })
})

afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})

const keys = (...args: string[]) =>
  cli(['keys', ...args], {
    env: { REDIS_URL: server.url },
    services: { ...servicesWith(fakeClient().client), openAccess: (url) => openAccess({ url }) },
  })

it('isopod keys creates a key, prints its token once, lists the key without the token, and revokes it', async () => {
  const none = await keys('list')
  expect(none).toMatchObject({ exitCode: 0, stdout: '' })
  expect(none.stderr).toContain('there is no key')

  const created = await keys('create', '--name', 'ci', '--tenant', 'team', '--scope', 'read', '--days', '30')
  const token = created.stdout.trim()
  const id = token.split('_')[1] ?? ''
  expect(created.stderr).toContain(`key ${id} for tenant team`)

  const listed = await keys('list')
  expect(listed.stdout).toMatch(new RegExp(`^id .*\n${id}  team +read +\\d{4}-\\d\\d-\\d\\d  ci\n$`))
  const json = await keys('list', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ id, tenant: 'team', scopes: ['read'], maxInFlight: null })
  expect(listed.stdout + json.stdout).not.toContain(token.slice(-43))

  expect((await keys('revoke', id)).exitCode).toBe(0)
  expect(await keys('revoke', id)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('there is no key'),
  })
})

it('isopod keys creates a key with the token of a file, again and again, and prints it nowhere', async () => {
  const token = `isopod_abcdefghij12_${'A'.repeat(43)}`
  const file = join(directory, 'token')
  await writeFile(file, `${token}\n`)
  const create = () => keys('create', '--name', 'admin', '--tenant', 'ops', '--token-file', file, '--json')
  for (const { exitCode, stdout, stderr } of [await create(), await create()]) {
    expect({ exitCode, key: JSON.parse(stdout) }).toEqual({ exitCode: 0, key: { id: 'abcdefghij12' } })
    expect(stdout + stderr).not.toContain('AAAA')
  }
  const { keys: stored, close } = await openAccess({ url: server.url })
  onTestFinished(close)
  expect(await stored.list()).toMatchObject([{ id: 'abcdefghij12', tenant: 'ops' }])
  expect(await stored.find(token)).toMatchObject({ id: 'abcdefghij12' })

  await writeFile(file, 'isopod_abc_def')
  const refused = await create()
  expect(refused.exitCode).not.toBe(0)
  expect(refused.stderr).toContain('the token must be isopod_')
})

it.each([
  [['create', '--name', 'x', '--tenant', 'a', '--token-file', '/nowhere'], '--token-file'],
  [['create', '--name', 'x'], '--tenant'],
  [['create', '--name', 'x', '--tenant', 'a b'], '--tenant'],
  [['create', '--name', 'x', '--tenant', 'a', '--scope', 'root'], 'submit, read, admin'],
  [['create', '--name', 'x', '--tenant', 'a', '--per-minute', '0'], '--per-minute'],
  [['create', '--name', 'x', '--tenant', 'a', '--days', '1.5'], '--days'],
])('refuses %j, and names %s', async (args, named) => {
  const { exitCode, stderr } = await keys(...args)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(named)
})
