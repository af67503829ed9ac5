import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { healthAnswer } from '@isopod/service-kit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readGatewayConfig } from '../../apps/gateway/src/config.ts'
import { loadTenants } from '../../apps/worker/src/admission/load-tenants.ts'
import { readWorkerConfig } from '../../apps/worker/src/config.ts'
import { loadCatalogue } from '../../apps/worker/src/document/load-catalogue.ts'
import { loadNetworks } from '../../apps/worker/src/network/profiles.ts'
import { Keys } from '../../packages/queue/src/redis/keys.ts'
import { parseRedisUrl } from '../../packages/queue/src/redis/redis-url.ts'
import { startTestGateway } from '../support/gateway.ts'
import { scaled } from '../support/time-factor.ts'
import { NO_GO, openRenderer, type RenderChart, type Rendered, VALUE_SETS } from './chart.ts'

interface Container {
  readonly args?: string[]
  readonly env: {
    name: string
    value?: string
    valueFrom?: { secretKeyRef: { name: string; key: string } }
  }[]
  readonly livenessProbe?: { httpGet: { path: string } }
  readonly readinessProbe?: { httpGet: { path: string } }
  readonly volumeMounts: { name: string; mountPath: string }[]
}

let render: RenderChart
let isMissing: boolean
let folder: string
let redis: RedisServer

beforeAll(async () => {
  ;({ render, isMissing } = await openRenderer())
  folder = await mkdtemp(join(tmpdir(), 'isopod-chart-'))
  redis = await startRedisServer({ directory: folder })
}, scaled(240_000))

afterAll(async () => {
  await redis.stop()
  await rm(folder, { recursive: true, force: true })
})

const containerOf = ({ object }: Rendered, name: 'worker' | 'gateway'): Container =>
  object('Deployment', `-${name}`).spec.template.spec.containers[0]

/** The content of a Secret of the release, or of one that only a cluster has. */
function secretOf({ objects }: Rendered, { name, key }: { name: string; key: string }): string {
  const secret = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name)
  if (secret?.data?.[key] !== undefined) return Buffer.from(secret.data[key], 'base64').toString()
  return key === 'secret' ? `whsec_${Buffer.alloc(32).toString('base64')}` : 'elsewhere'
}

/** What the kubelet makes of a container's variables: with secrets, and with references to earlier variables. */
function environmentOf(rendered: Rendered, { env }: Container): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const { name, value = '', valueFrom } of env) {
    expect(environment, 'no variable twice').not.toHaveProperty(name)
    const text = valueFrom === undefined ? value : secretOf(rendered, valueFrom.secretKeyRef)
    environment[name] = text.replaceAll(/\$\((\w+)\)/g, (all, other: string) => environment[other] ?? all)
  }
  return environment
}

// promise: helm-chart
describe.for(Object.entries(VALUE_SETS))('the services of the chart with %s', ([, given]) => {
  it('get settings that they accept, and one queue', async (context) => {
    context.skip(isMissing, NO_GO)
    const rendered = await render(given)
    const worker = readWorkerConfig(environmentOf(rendered, containerOf(rendered, 'worker')))
    const gateway = readGatewayConfig(environmentOf(rendered, containerOf(rendered, 'gateway')))
    expect(worker).toMatchObject({
      driver: 'process',
      process: { roots: '/var/lib/isopod/roots', state: '/run/isopod' },
      http: { port: 9464 },
      redis: gateway.queue,
    })
    expect(gateway.port).toBe(8007)
    const { options } = parseRedisUrl(gateway.queue.url)
    const { redis: values } = rendered.values as { redis: { enabled: boolean; external: object } }
    if (values.enabled) {
      expect(options.host).toBe(rendered.object('Service', '-redis').metadata.name)
      const { data } = rendered.object('Secret', '-redis')
      expect(options.password).toBe(Buffer.from(data.password, 'base64').toString())
    } else {
      expect(options).toMatchObject({ host: 'queue.example', port: 6380, db: 2, username: 'isopod', tls: {} })
    }
  })

  it('are probed at paths that they serve', async (context) => {
    context.skip(isMissing, NO_GO)
    const rendered = await render(given)
    const metrics = { contentType: 'text/plain', render: async () => '' }
    const { livenessProbe, readinessProbe } = containerOf(rendered, 'worker')
    const monitors = rendered.objects.filter(({ kind }) => kind === 'ServiceMonitor')
    const paths = [
      ...[livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path ?? ''),
      ...monitors.flatMap(({ spec }) => spec.endpoints.map(({ path }: { path: string }) => path)),
    ]
    for (const path of paths) {
      const { status } = await healthAnswer('GET', path, metrics, async () => ({ ok: true, checks: {} }))
      expect({ path, status }).toEqual({ path, status: 200 })
    }
  })

  it('are scaled by keys that the queue has', async (context) => {
    context.skip(isMissing, NO_GO)
    const rendered = await render(given)
    const scaled = rendered.objects.find(({ kind }) => kind === 'ScaledObject')
    if (scaled === undefined) return
    const { prefix } = readWorkerConfig(environmentOf(rendered, containerOf(rendered, 'worker'))).redis
    const keys = new Keys(prefix)
    const lists = scaled.spec.triggers.map(
      ({ metadata }: { metadata: { listName: string } }) => metadata.listName,
    )
    expect(lists).toEqual([keys.jobs('prioritized'), keys.jobs('wait'), keys.jobs('active')])
    const names = scaled.spec.triggers.map(({ name }: { name: string }) => name)
    expect(scaled.spec.advanced.scalingModifiers.formula).toBe(names.join(' + '))
  })
})

it('a worker reads the documents of the values', async (context) => {
  context.skip(isMissing, NO_GO)
  const rendered = await render(VALUE_SETS['everything'])
  const { data } = rendered.object('ConfigMap', '-worker')
  for (const [file, text] of Object.entries<string>(data)) await writeFile(join(folder, file), text)
  const { networkProfilesFile, tenantsFile, catalogueFile } = readWorkerConfig(
    environmentOf(rendered, containerOf(rendered, 'worker')),
  )
  const local = (path = '') => join(folder, basename(path))
  expect([...(await loadNetworks(local(networkProfilesFile))).keys()]).toEqual(['pypi'])
  expect(await loadTenants(local(tenantsFile))).toMatchObject({ ci: { weight: 2, maxInFlight: 8 } })
  const { languages } = await loadCatalogue(local(catalogueFile))
  expect(languages.map(({ name }) => name)).toEqual(['ruby'])
})

it('the first key that the chart makes opens a gateway, and no other request sees its metrics', {
  // It compiles the gateway, and starts it and Redis.
  timeout: scaled(120_000),
}, async (context) => {
  context.skip(isMissing, NO_GO)
  const rendered = await render({ serviceMonitor: { enabled: true } })
  const { spec } = rendered.object('Deployment', '-gateway').spec.template
  const gateway = containerOf(rendered, 'gateway')
  const { REDIS_URL: _, PORT: __, ...environment } = environmentOf(rendered, gateway)

  const [init] = spec.initContainers as Container[]
  const { secretName, items } = spec.volumes.find(({ name }: { name: string }) => name === 'admin-key').secret
  const token = secretOf(rendered, { name: secretName, key: items[0].key })
  const mounted = `${init?.volumeMounts[0]?.mountPath}/${items[0].path}`
  await writeFile(join(folder, 'token'), token)
  const words = (init?.args ?? []).map((word) => (word === mounted ? join(folder, 'token') : word))
  expect(words).toContain(join(folder, 'token'))
  const cli = fileURLToPath(new URL('../../apps/cli/bin/isopod.js', import.meta.url))
  const env = { ...process.env, REDIS_URL: redis.url }
  await promisify(execFile)(process.execPath, [cli, ...words], { env })

  const running = await startTestGateway({ redisUrl: redis.url, prefix: 'isopod' }, environment)
  onTestFinished(() => running.close())
  const ask = async (path: string, headers = {}) => (await fetch(`${running.url}${path}`, { headers })).status
  const paths = [gateway.livenessProbe, gateway.readinessProbe].map((probe) => probe?.httpGet.path ?? '')
  for (const path of paths) expect({ path, status: await ask(path) }).toEqual({ path, status: 200 })
  const [{ path, authorization }] = rendered.object('ServiceMonitor', '-gateway').spec.endpoints
  expect(await ask(path)).toBe(401)
  const credentials = secretOf(rendered, authorization.credentials)
  expect(await ask(path, { authorization: `Bearer ${credentials}` })).toBe(200)
})
