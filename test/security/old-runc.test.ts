import { runcEscapes } from '@isopod/protocol'
import { beforeEach, expect, inject, it } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { runWorkerToExit } from '../support/ended-worker.ts'
import { docker } from '../support/engine.ts'
import { startWorld } from '../support/world.ts'

const { dockerHost, redisUrl } = inject('stack')
const version = await docker(
  dockerHost,
  'version',
  '--format',
  '{{range .Server.Components}}{{if eq .Name "runc"}}{{.Version}}{{end}}{{end}}',
)
const escapes = runcEscapes(version) ?? []
beforeEach((context) => skipUnlessDocker(context, 'ociRuntimes'))
beforeEach((context) => context.skip(escapes.length === 0, `runc ${version} has no known escapes`))

/** Always runc, because a worker with gVisor does not check the version of runc. */
const ON_RUNC = { ISOPOD_RUNTIME: 'runc' }

// promise: old-runc
it('a runc with known escapes stops the worker, which names them, the version, and the setting that allows it', async () => {
  const settings = { ...ON_RUNC, REDIS_URL: redisUrl, DOCKER_HOST: dockerHost, ISOPOD_ALLOW_OLD_RUNC: '' }
  const { code, output } = await runWorkerToExit(settings)
  expect(code).toBe(1)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(output).toContain(`the engine's runc is ${version}, which has known escapes (${escapes.join(', ')})`)
  expect(output).toContain('ISOPOD_ALLOW_OLD_RUNC=true')
})

it('a worker that is configured to accept an old runc warns once, and runs jobs', async () => {
  const world = await startWorld({ env: { ...ON_RUNC, ISOPOD_ALLOW_OLD_RUNC: 'true' } })
  try {
    expect(await world.client.run({ language: 'bash', code: 'echo in' })).toMatchObject({ stdout: 'in\n' })
    const warnings = (await world.log()).filter(({ level }) => level === 'warn').map(({ msg }) => String(msg))
    expect(warnings.filter((text) => text.includes(escapes[0] ?? 'none'))).toHaveLength(1)
  } finally {
    await world.close()
  }
})
