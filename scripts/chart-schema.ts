// Makes the schema of the chart's values (deploy/helm/isopod/values.schema.json), with the settings that services really have.
import { z } from 'zod'
import { GATEWAY_SETTINGS } from '../apps/gateway/dist/config.js'
import { WORKER_SETTINGS } from '../apps/worker/dist/settings.js'

type Schema = Record<string, unknown>

/** Settings that the chart makes of other values, or that gateway and workers must have in common. */
const OF_THE_CHART =
  /^(REDIS_URL|PORT|ISOPOD_BIND|ISOPOD_WORKER_ID|ISOPOD_(GATEWAY_)?DRAIN_SECONDS|ISOPOD_WORKERS|.*_FILE|.*_DIR)$/
/** Settings of an engine, which no worker of the chart has; secrets, and files that need a volume: `extraEnv`. */
const OF_NO_USE =
  /^(DOCKER_.*|ISOPOD_(DRIVER|MIN_ISOLATION|RUNTIME|ALLOW_OLD_RUNC|APPARMOR_PROFILE|IMAGE_DISK_READ|STACK|SECCOMP_PROFILE|GATEWAY_WEBHOOK_SECRET))$/
const SHARED = ['LOG_LEVEL', 'ISOPOD_QUEUE_PREFIX', 'ISOPOD_ALLOW_EVICTION', 'ISOPOD_RESULT_TTL_SECONDS']

const text = { type: 'string' }
const flag = { type: 'boolean' }
const list = { type: 'array' }
/** A list of peers that must name one: to Kubernetes, an empty list means all. */
const filled = { type: 'array', minItems: 1 }
const map = { type: 'object' }
const texts = { type: 'array', items: text }
const textMap = { type: 'object', additionalProperties: text }
const count = (minimum: number, maximum = 10_000): Schema => ({ type: 'integer', minimum, maximum })
const port = count(1, 65_535)
/** A name of an object, or none. */
const objectName = { type: 'string', maxLength: 253, pattern: '^([a-z0-9]([a-z0-9.-]*[a-z0-9])?)?$' }
const image = strict({
  repository: { type: 'string', minLength: 1 },
  tag: text,
  pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
})
const disruptionBudget = strict({
  enabled: flag,
  maxUnavailable: { type: ['integer', 'string'], pattern: '^\\d+%$' },
})
const placement = { nodeSelector: textMap, tolerations: list, affinity: map, priorityClassName: objectName }
const service = {
  replicas: count(0),
  image,
  extraEnv: list,
  extraVolumes: list,
  extraVolumeMounts: list,
  drainSeconds: count(0, 3600),
  podDisruptionBudget: disruptionBudget,
  resources: map,
  podAnnotations: textMap,
  podLabels: textMap,
  topologySpreadConstraints: list,
  serviceAccountName: objectName,
  ...placement,
}

/** The schema, in the dialect that Helm reads. */
export function chartValuesSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart isopod',
    ...strict({
      // Helm gives it to every chart.
      global: map,
      fullnameOverride: { ...objectName, maxLength: 40, pattern: '^([a-z]([a-z0-9-]*[a-z0-9])?)?$' },
      imagePullSecrets: texts,
      bind: { type: 'string', minLength: 1 },
      settings: settings(WORKER_SETTINGS, (name) => SHARED.includes(name)),
      gateway: strict({
        ...service,
        settings: settings(GATEWAY_SETTINGS, isOwn),
        webhooks: strict({ existingSecret: objectName }),
        adminKey: strict({ enabled: flag, existingSecret: objectName, tenant: text }),
        service: strict({
          type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
          port,
          annotations: textMap,
        }),
        ingress: strict({ enabled: flag, className: text, annotations: textMap, hosts: texts, tls: list }),
      }),
      cli: strict({ image }),
      worker: strict({
        ...service,
        settings: settings(WORKER_SETTINGS, isOwn),
        tenants: map,
        networkProfiles: map,
        languages: map,
        rootsVolume: map,
        podSecurityContext: map,
        securityContext: map,
        autoscaling: strict({
          enabled: flag,
          minReplicas: count(0),
          maxReplicas: count(1),
          jobsPerWorker: count(1, 1000),
          pollingSeconds: count(1),
          stabilizationSeconds: count(0, 3600),
        }),
      }),
      redis: strict({
        enabled: flag,
        image,
        password: { type: 'string', pattern: '^[A-Za-z0-9._~-]*$' },
        existingSecret: objectName,
        maxmemory: { type: 'string', pattern: '^\\d+([kmg]b?)?$' },
        persistence: strict({ enabled: flag, size: text, storageClassName: text }),
        resources: map,
        external: strict({
          host: text,
          port,
          username: { type: 'string', pattern: '^[A-Za-z0-9._~-]*$' },
          database: count(0, 9999),
          tls: flag,
        }),
        ...placement,
      }),
      networkPolicy: strict({
        enabled: flag,
        gatewayFrom: list,
        metricsFrom: filled,
        kedaFrom: filled,
        redisTo: list,
        publicTo: filled,
      }),
      serviceMonitor: strict({
        enabled: flag,
        interval: { type: 'string', pattern: '^\\d+(ms|s|m|h)$' },
        labels: textMap,
      }),
    }),
  }
}

/** An object without other fields. */
function strict(properties: Record<string, Schema>): Schema {
  return { type: 'object', additionalProperties: false, properties }
}

function isOwn(name: string): boolean {
  return !OF_THE_CHART.test(name) && !OF_NO_USE.test(name) && (name === 'LOG_LEVEL' || !SHARED.includes(name))
}

function settings(schema: z.ZodObject, isOffered: (name: string) => boolean): Schema {
  const offered = Object.entries(schema.shape as Record<string, z.ZodType>).filter(([name]) =>
    isOffered(name),
  )
  return strict(Object.fromEntries(offered.map(([name, variable]) => [name, settingSchema(variable)])))
}

/** Numbers and flags as YAML writes them, other settings as text. */
function settingSchema(variable: z.ZodType): Schema {
  const [given, meant] = (['input', 'output'] as const).map((io) =>
    z.toJSONSchema(variable, { io, unrepresentable: 'any' }),
  )
  // Links of the pages of settings lead nowhere from here.
  const description = variable.meta()?.description?.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  const { type, minimum, maximum } = meant ?? {}
  if (type === 'integer' || type === 'number') return { description, type, minimum, maximum }
  const { pattern, enum: values } = given ?? {}
  if (String(values) === 'true,false') return { description, type: 'boolean' }
  return { description, type: 'string', pattern, enum: values }
}
