import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installPackages } from '@isopod/devstack'
import { parseAllDocuments } from 'yaml'

/** Repository root. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The folder of the chart. */
export const CHART = join(ROOT, 'deploy/helm/isopod')

/** Where specs of the chart build: below the checkout, so that its packages are found. */
export const CHART_CACHE = join(ROOT, 'node_modules/.cache/helm')

/** JSON data of values and objects. */
export type Json = Record<string, unknown>

/** A rendered object; specs look at the fields that they expect. */
// biome-ignore lint/suspicious/noExplicitAny: each kind has its own fields, which kubernetes-models checks
export type KubernetesObject = { kind: string; apiVersion: string; metadata: any; spec?: any; data?: any }

/** What a chart and values become. */
export interface Rendered {
  /** The values, with the chart's defaults. */
  readonly values: Json
  readonly notes: string
  readonly objects: readonly KubernetesObject[]
  /** The only object of a kind whose name ends so. */
  object(kind: string, suffix: string): KubernetesObject
}

/** Renders the chart. @param cluster what the cluster has, by `Kind/name` */
export type RenderChart = (values?: Json, options?: { release?: string; cluster?: Json }) => Promise<Rendered>

/** The reason of specs that are skipped without {@link openRenderer}; the installer's error is printed above it. */
export const NO_GO = 'no Go with the libraries of templates'

/** Renders the chart as Helm does. `isMissing` if Go and its libraries cannot be installed. */
export async function openRenderer(): Promise<{ render: RenderChart; isMissing: boolean }> {
  try {
    return { render: await buildRenderer(), isMissing: false }
  } catch (error) {
    console.error(`chart: ${NO_GO}: ${error}`)
    return { render: () => Promise.reject(error), isMissing: true }
  }
}

/** Builds render/main.go, with Go and its libraries from Debian. */
async function buildRenderer(): Promise<RenderChart> {
  await installPackages(['helm-functions'], (line) => console.error(`chart: ${line}`))
  await mkdir(CHART_CACHE, { recursive: true })
  const program = join(CHART_CACHE, 'render')
  const source = join(ROOT, 'test/helm/render/main.go')
  const go = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(CHART_CACHE, 'go') }
  await promisify(execFile)('go', ['build', '-o', program, source], { env: { ...process.env, ...go } })
  return async (values = {}, { release = 'isopod', cluster = {} } = {}) => {
    const request = { chart: CHART, values, release, namespace: 'code', cluster }
    const running = promisify(execFile)(program, { maxBuffer: 16 * 1024 * 1024 })
    running.child.stdin?.end(JSON.stringify(request))
    const { stdout } = await running
    const answer = JSON.parse(stdout) as { values: Json; files: Record<string, string> }
    return renderedChart(answer.values, answer.files)
  }
}

function renderedChart(values: Json, files: Record<string, string>): Rendered {
  const { 'templates/NOTES.txt': notes = '', ...templates } = files
  const objects = Object.entries(templates).flatMap(([path, text]) =>
    parseAllDocuments(text).flatMap((document) => {
      if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}\n${text}`)
      const object = document.toJS() as KubernetesObject | null
      return object === null ? [] : [object]
    }),
  )
  return {
    ...{ values, notes, objects },
    object(kind, suffix) {
      const found = objects.filter((each) => each.kind === kind && each.metadata.name.endsWith(suffix))
      if (found[0] === undefined || found.length > 1)
        throw new Error(`${found.length} objects ${kind} ${suffix}`)
      return found[0]
    },
  }
}

/** Values of which each spec renders all. */
export const VALUE_SETS: Readonly<Record<string, Json>> = {
  defaults: {},
  minimal: {
    gateway: { replicas: 1, adminKey: { enabled: false }, podDisruptionBudget: { enabled: false } },
    worker: { replicas: 1, podDisruptionBudget: { enabled: false } },
    redis: { persistence: { enabled: false } },
    networkPolicy: { enabled: false },
  },
  'external Redis': {
    redis: {
      enabled: false,
      existingSecret: 'queue',
      external: { host: 'queue.example', port: 6380, username: 'isopod', database: 2, tls: true },
    },
    networkPolicy: { redisTo: [{ ipBlock: { cidr: '10.1.0.0/16' } }] },
    worker: { autoscaling: { enabled: true, minReplicas: 0 } },
  },
  everything: {
    fullnameOverride: 'code',
    imagePullSecrets: ['images'],
    bind: '::',
    settings: { LOG_LEVEL: 'debug', ISOPOD_QUEUE_PREFIX: 'code', ISOPOD_RESULT_TTL_SECONDS: 1_209_600 },
    gateway: {
      settings: {
        LOG_LEVEL: 'warn',
        ISOPOD_GATEWAY_DROP_INS: 'judge0,piston',
        ISOPOD_GATEWAY_MAX_WAITING: 10_000_000,
        ISOPOD_GATEWAY_PAGE: false,
      },
      webhooks: { existingSecret: 'webhooks' },
      extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authorities/ca.crt' }],
      extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
      extraVolumeMounts: [{ name: 'authorities', mountPath: '/etc/authorities' }],
      drainSeconds: 60,
      adminKey: { existingSecret: 'admin', tenant: 'ops' },
      service: { type: 'LoadBalancer', annotations: { 'example/internal': 'true' } },
      ingress: {
        enabled: true,
        className: 'nginx',
        annotations: { 'nginx.ingress.kubernetes.io/proxy-read-timeout': '330' },
        hosts: ['code.example'],
        tls: [{ secretName: 'code-tls', hosts: ['code.example'] }],
      },
      podAnnotations: { 'example/one': '1' },
      podLabels: { team: 'code' },
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      serviceAccountName: 'gateway',
    },
    worker: {
      settings: {
        ISOPOD_SLOTS: 8,
        ISOPOD_CPUS: 3.5,
        ISOPOD_PRELOAD: 'python',
        ISOPOD_MIN_POLICY: 'enforce:strict',
      },
      extraEnv: [{ name: 'ISOPOD_SECCOMP_PROFILES_DIR', value: '/etc/profiles' }],
      extraVolumes: [{ name: 'profiles', configMap: { name: 'profiles' } }],
      extraVolumeMounts: [{ name: 'profiles', mountPath: '/etc/profiles' }],
      drainSeconds: 600,
      tenants: { tenants: { ci: { weight: 2, max_in_flight: 8 } }, others: { max_queued: 1000 } },
      networkProfiles: { profiles: { pypi: { egress: ['pypi.org:443'] } } },
      languages: {
        ruby: {
          version: '3.3',
          image: 'isopod/ruby:3.3',
          filename: 'main.rb',
          command: ['ruby', '{filename}'],
        },
      },
      resources: { limits: { cpu: '4', memory: '8Gi' } },
      rootsVolume: { persistentVolumeClaim: { claimName: 'roots', readOnly: true } },
      autoscaling: { enabled: true, jobsPerWorker: 8, maxReplicas: 100 },
      podDisruptionBudget: { maxUnavailable: '20%' },
      tolerations: [{ key: 'sandboxes', operator: 'Exists', effect: 'NoSchedule' }],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { team: 'code' } } },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { team: 'code' } },
        },
      ],
      priorityClassName: 'batch',
    },
    redis: { password: 'chosen', persistence: { storageClassName: 'fast' } },
    networkPolicy: {
      gatewayFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
    },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  },
}
