import { chmod, lstat, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CHECKOUT, makePaths, stackPaths } from '../src/paths.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

it('stack paths are in the checkout or in ISOPOD_STATE_DIR', () => {
  expect(stackPaths({}).state).toBe(join(CHECKOUT, '.isopod'))
  expect(stackPaths({ ISOPOD_STATE_DIR: '' }).state).toBe(join(CHECKOUT, '.isopod'))
  expect(stackPaths({ ISOPOD_STATE_DIR: '/elsewhere' })).toMatchObject({
    state: '/elsewhere',
    redis: '/elsewhere/redis',
  })
})

it('the path of the roots is in the state directory, or ISOPOD_ROOTS_DIR', () => {
  expect(stackPaths({}).roots).toBe(join(CHECKOUT, '.isopod/roots'))
  expect(stackPaths({ ISOPOD_STATE_DIR: '/elsewhere' }).roots).toBe('/elsewhere/roots')
  expect(stackPaths({ ISOPOD_ROOTS_DIR: '/roots' }).roots).toBe('/roots')
})

it('stack paths differ between state directories', () => {
  const one = stackPaths({ ISOPOD_STATE_DIR: '/one' })
  const other = stackPaths({ ISOPOD_STATE_DIR: '/other' })
  expect(one.id).toMatch(/^[0-9a-f]{8}$/)
  expect(one.id).not.toBe(other.id)
  expect(one.runtime).not.toBe(other.runtime)
})

it('stack paths of sockets stay short, however deep the checkout is', () => {
  const deep = stackPaths({ ISOPOD_STATE_DIR: `/${'deep/'.repeat(60)}` })
  expect(join(deep.runtime, 'containerd.sock.ttrpc').length).toBeLessThan(104)
})

it('stack paths can be entered only by their owner', async () => {
  const folder = await temporaryFolder()
  const paths = { ...stackPaths({ ISOPOD_STATE_DIR: join(folder, 's') }), runtime: join(folder, 'r') }
  await makePaths(paths)
  await makePaths(paths)
  expect((await lstat(paths.runtime)).mode & 0o777).toBe(0o700)
  expect((await lstat(paths.logs)).mode & 0o777).toBe(0o700)
})

it('stack paths refuse a runtime directory that others can enter, or that is a link', async () => {
  const folder = await temporaryFolder()
  const paths = { ...stackPaths({ ISOPOD_STATE_DIR: join(folder, 's') }), runtime: join(folder, 'r') }
  await mkdir(paths.runtime)
  await chmod(paths.runtime, 0o755)
  await expect(makePaths(paths)).rejects.toThrow(
    `${paths.runtime} must be a directory that only this user can enter`,
  )
  await mkdir(join(folder, 'private'), { mode: 0o700 })
  await symlink(join(folder, 'private'), join(folder, 'link'))
  await expect(makePaths({ ...paths, runtime: join(folder, 'link') })).rejects.toThrow('must be a directory')
})
