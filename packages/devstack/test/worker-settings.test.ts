import { join } from 'node:path'
import { expect, it } from 'vitest'
import { stackPaths } from '../src/paths.ts'
import { workerSettings } from '../src/stack/worker-settings.ts'

const env = { ISOPOD_STATE_DIR: '/tmp/state', LOG_LEVEL: 'debug' }

it('a worker without an engine gets the process driver, and directories of its stack', () => {
  const { sandboxes, runtime } = stackPaths(env)
  expect(workerSettings(undefined, env)).toEqual({
    ...env,
    ISOPOD_DRIVER: 'process',
    ISOPOD_ROOTS_DIR: join('/tmp/state', 'roots'),
    ISOPOD_SANDBOX_STATE_DIR: sandboxes,
  })
  // Programs' users cannot enter the runtime directory.
  expect(sandboxes).toBe(`${runtime}-sandboxes`)
})

it('a worker without an engine keeps the state directory that its user chose', () => {
  const settings = workerSettings(undefined, { ...env, ISOPOD_SANDBOX_STATE_DIR: '/run/other' })
  expect(settings['ISOPOD_SANDBOX_STATE_DIR']).toBe('/run/other')
})

it('a worker on an engine may use an old runc only if the engine is private', () => {
  const on = (ours: boolean) => workerSettings({ dockerHost: 'unix:///x', ours }, env)
  expect(on(true)['ISOPOD_ALLOW_OLD_RUNC']).toBe('true')
  expect(on(false)['ISOPOD_ALLOW_OLD_RUNC']).toBeUndefined()
  expect(on(false)['ISOPOD_DRIVER']).toBeUndefined()
})
