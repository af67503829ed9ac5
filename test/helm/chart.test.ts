import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../support/time-factor.ts'
import {
  CHART,
  type Json,
  type KubernetesObject,
  NO_GO,
  openRenderer,
  type RenderChart,
  type Rendered,
  VALUE_SETS,
} from './chart.ts'
import { unknownFields, validateObject } from './kubernetes-models.ts'

let render: RenderChart
let isMissing: boolean

beforeAll(async () => {
  ;({ render, isMissing } = await openRenderer())
}, scaled(240_000))

/** What the process driver needs: docs/kubernetes.md has the reasons. */
const WORKER_CAPABILITIES = ['SYS_ADMIN', 'NET_ADMIN', 'SETUID', 'SETGID', 'KILL']

const sets = Object.entries(VALUE_SETS)
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Json
const validate = new Ajv({ allErrors: true, strict: false }).compile(schema)

/** What the schema says about values, one line each. */
function problemsOf(values: Json): string[] {
  if (validate(values)) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, params['additionalProperty']].filter(Boolean).join(' '),
  )
}

const podOf = ({ kind, metadata, spec }: KubernetesObject) =>
  kind === 'Pod' ? { metadata, spec } : spec?.template
const podsOf = (objects: readonly KubernetesObject[]) =>
  objects.map(podOf).filter((pod) => pod?.spec?.containers !== undefined)
const containersOf = ({ spec }: Pick<KubernetesObject, 'spec'>): Json[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
]
const portNames = ({ spec }: Pick<KubernetesObject, 'spec'>): string[] =>
  spec.containers.flatMap(({ ports = [] }: { ports?: { name: string }[] }) => ports.map(({ name }) => name))
const isSelected = (labels: Json, pod: Pick<KubernetesObject, 'metadata'>) =>
  Object.entries(labels).every(([name, value]) => pod.metadata.labels[name] === value)

// promise: helm-chart
describe.for(sets)('the chart with %s', ([, given]) => {
  it('has values that its schema allows, and objects that Kubernetes accepts', async (context) => {
    context.skip(isMissing, NO_GO)
    const { values, objects } = await render(given)
    expect(problemsOf(values)).toEqual([])
    expect(objects.length).toBeGreaterThan(5)
    for (const object of objects) {
      expect(() => validateObject(object), `${object.kind} ${object.metadata.name}`).not.toThrow()
    }
    expect(await unknownFields(objects)).toEqual([])
  })

  it('gives no pod privileges of the host, a token of the API server, or a Docker socket', async (context) => {
    context.skip(isMissing, NO_GO)
    const { objects } = await render(given)
    expect(JSON.stringify(objects)).not.toMatch(/docker\.sock|hostPath|"privileged":true/)
    for (const pod of podsOf(objects)) {
      expect(pod.spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
      for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod.spec).not.toHaveProperty(field)
      for (const { name, securityContext } of containersOf(pod)) {
        const added = (securityContext as { capabilities: { add?: string[] } }).capabilities.add
        expect(added).toEqual(name === 'worker' ? WORKER_CAPABILITIES : undefined)
        expect(securityContext).toMatchObject({
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
  })

  it('has selectors and ports that fit the pods', async (context) => {
    context.skip(isMissing, NO_GO)
    const { objects } = await render(given)
    const pods = podsOf(objects)
    const services = objects.filter(({ kind }) => kind === 'Service')
    for (const { kind, metadata, spec } of objects) {
      const labels = spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels ?? spec?.selector
      if (labels === undefined || kind === 'ServiceMonitor') continue
      const selected = pods.filter((pod) => isSelected(labels, pod))
      expect(selected, `${kind} ${metadata.name}`).toHaveLength(1)
      const ports = [
        ...(kind === 'Service' ? spec.ports.map(({ targetPort }: Json) => targetPort) : []),
        ...(spec.ingress ?? []).flatMap(({ ports }: { ports: Json[] }) => ports.map(({ port }) => port)),
      ]
      expect(portNames(selected[0])).toEqual(expect.arrayContaining(ports))
    }
    for (const { spec } of objects.filter(({ kind }) => kind === 'ServiceMonitor')) {
      const monitored = services.filter(({ metadata }) => isSelected(spec.selector.matchLabels, { metadata }))
      expect(monitored).toHaveLength(1)
      const names = monitored[0]?.spec.ports.map(({ name }: Json) => name)
      expect(names).toEqual(expect.arrayContaining(spec.endpoints.map(({ port }: Json) => port)))
    }
    for (const { containers } of pods.map(({ spec }) => spec)) {
      for (const { ports = [], livenessProbe, readinessProbe, startupProbe } of containers) {
        const names = ports.map(({ name }: Json) => name)
        for (const probe of [livenessProbe, readinessProbe, startupProbe].filter(Boolean)) {
          const { port } = probe.httpGet ?? probe.tcpSocket ?? {}
          if (port !== undefined) expect(names).toContain(port)
        }
      }
    }
  })

  it('lets workers and gateways end before they are killed, and limits what sandboxes get together', async (context) => {
    context.skip(isMissing, NO_GO)
    const { object } = await render(given)
    const setting = (container: { env: { name: string; value: string }[] }, name: string) =>
      Number(container.env.find((variable) => variable.name === name)?.value)
    const { spec: gateway } = podOf(object('Deployment', '-gateway'))
    const drain = setting(gateway.containers[0], 'ISOPOD_GATEWAY_DRAIN_SECONDS')
    expect(gateway.terminationGracePeriodSeconds).toBeGreaterThan(5 + drain + 5)
    const { spec: worker } = podOf(object('Deployment', '-worker'))
    const [container] = worker.containers
    // 20 s is what a worker takes to requeue jobs and to remove its sandboxes.
    expect(worker.terminationGracePeriodSeconds).toBeGreaterThan(
      setting(container, 'ISOPOD_DRAIN_SECONDS') + 20,
    )
    const { memory, cpu } = container.resources.limits
    expect(setting(container, 'ISOPOD_CPUS')).toBeLessThanOrEqual(Number(cpu))
    expect(memory).toMatch(/^\d+Gi$/)
    expect(setting(container, 'ISOPOD_MEMORY_MB') + 512).toBeLessThanOrEqual(
      Number.parseInt(memory, 10) * 1024,
    )
  })
})

it('workers reach names and Redis, and with network profiles the public internet, but not the cluster', async (context) => {
  context.skip(isMissing, NO_GO)
  const egressOf = ({ object }: Rendered, component: string) => object('NetworkPolicy', component).spec.egress
  const dns = {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  }
  const plain = await render()
  const redis = { podSelector: { matchLabels: plain.object('Service', '-redis').spec.selector } }
  expect(egressOf(plain, '-worker')).toEqual([dns, { ports: [{ port: 6379 }], to: [redis] }])
  expect(egressOf(plain, '-redis')).toEqual([])

  const networked = await render(VALUE_SETS['everything'])
  const [, , { to }] = egressOf(networked, '-worker')
  for (const { ipBlock } of to) expect(ipBlock.except.length).toBeGreaterThan(2)
  const external = await render(VALUE_SETS['external Redis'])
  expect(egressOf(external, '-worker')).toEqual([
    dns,
    { ports: [{ port: 6380 }], to: [{ ipBlock: { cidr: '10.1.0.0/16' } }] },
  ])
})

it('the checks find a value that Kubernetes refuses, and a field that it does not know', async (context) => {
  context.skip(isMissing, NO_GO)
  const { object } = await render()
  const broken = structuredClone(object('Deployment', '-worker'))
  const [container] = broken.spec.template.spec.containers
  container.resources.limits.memory = '4GiB'
  container.readinesProbe = container.readinessProbe
  expect(() => validateObject(broken)).toThrow('limits/memory')
  expect(await unknownFields([broken])).toEqual([expect.stringContaining('readinesProbe')])
})

it('the names of objects and the values of labels have at most 63 characters, those of a StatefulSet 52', async (context) => {
  context.skip(isMissing, NO_GO)
  const everything = VALUE_SETS['everything'] ?? {}
  const { objects } = await render({ ...everything, fullnameOverride: null }, { release: 'r'.repeat(53) })
  for (const { kind, metadata } of objects) {
    expect(metadata.name.length, metadata.name).toBeLessThanOrEqual(kind === 'StatefulSet' ? 52 : 63)
    expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/)
    for (const label of Object.values<string>(metadata.labels)) expect(label.length).toBeLessThanOrEqual(63)
  }
})

it('an upgrade keeps the password and the key that the first installation made', async (context) => {
  context.skip(isMissing, NO_GO)
  const first = await render()
  const made = ['-redis', '-admin-key'].map((suffix) => first.object('Secret', suffix))
  const cluster = Object.fromEntries(made.map((secret) => [`Secret/${secret.metadata.name}`, secret]))
  const upgraded = await render({}, { cluster })
  const fresh = await render()
  for (const { metadata, data } of made) {
    expect(upgraded.object('Secret', metadata.name).data).toEqual(data)
    expect(fresh.object('Secret', metadata.name).data).not.toEqual(data)
  }
})

it.each<[string, Json, string]>([
  ['a misspelt value', { worker: { replica: 2 } }, '/worker must NOT have additional properties replica'],
  ['a misspelt setting', { settings: { LOG_LEVL: 'info' } }, 'additional properties LOG_LEVL'],
  ['a setting out of range', { worker: { settings: { ISOPOD_SLOTS: 0 } } }, 'ISOPOD_SLOTS must be >= 1'],
  [
    'a setting of another type',
    { worker: { settings: { ISOPOD_SELF_TEST: 'no' } } },
    'ISOPOD_SELF_TEST must be boolean',
  ],
  [
    'a setting that only Docker has',
    { worker: { settings: { DOCKER_HOST: '/x' } } },
    'additional properties DOCKER_HOST',
  ],
  ['a setting that the chart makes', { gateway: { settings: { PORT: 80 } } }, 'additional properties PORT'],
  [
    'a setting of the queue for one of them',
    { gateway: { settings: { ISOPOD_QUEUE_PREFIX: 'a' } } },
    'ISOPOD_QUEUE_PREFIX',
  ],
  [
    'a password that an URL would break',
    { redis: { password: 'a@b' } },
    '/redis/password must match pattern',
  ],
  ...['metricsFrom', 'kedaFrom', 'publicTo'].map((name): [string, Json, string] => [
    `an empty networkPolicy.${name}, which would open it for everyone`,
    { networkPolicy: { [name]: [] } },
    `/networkPolicy/${name} must NOT have fewer than 1 items`,
  ]),
  [
    'an isolation that its workers do not have',
    { worker: { settings: { ISOPOD_MIN_ISOLATION: 'container' } } },
    'additional properties ISOPOD_MIN_ISOLATION',
  ],
  [
    'a port that is none',
    { gateway: { service: { port: 70_000 } } },
    '/gateway/service/port must be <= 65535',
  ],
])('the schema of the values refuses %s', (_, values, problem) => {
  expect(problemsOf(values)).toEqual([expect.stringContaining(problem)])
})

it('a chart without a Redis names the value that is missing', async (context) => {
  context.skip(isMissing, NO_GO)
  await expect(render({ redis: { enabled: false } })).rejects.toThrow('redis.external.host: must name')
})

it('the templates use no value that values.yaml lacks, and the README names each value', async (context) => {
  context.skip(isMissing, NO_GO)
  const { values } = await render()
  const templates = join(CHART, 'templates')
  const files = readdirSync(templates, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.includes('.'),
  )
  const used = files.flatMap((file) => {
    const text = readFileSync(join(templates, file), 'utf8')
    return [...text.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = '']) => path)
  })
  const has = (path: string) =>
    path.split('.').reduce<unknown>((value, key) => (value as Json | undefined)?.[key], values) !== undefined
  const settingPaths = /^settings\./
  expect([...new Set(used)].filter((path) => !settingPaths.test(path) && !has(path))).toEqual([])

  const readme = readFileSync(join(CHART, 'README.md'), 'utf8')
  const names = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && Object.keys(value).length > 0
      ? Object.keys(value).map((key) => `${name}.${key}`)
      : [name],
  )
  expect(names.filter((name) => !readme.includes(`\`${name}`))).toEqual([])
})
