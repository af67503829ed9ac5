import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Pod } from 'kubernetes-models/v1/Pod'
import { Secret } from 'kubernetes-models/v1/Secret'
import { Service } from 'kubernetes-models/v1/Service'
import { CHART_CACHE, type KubernetesObject } from './chart.ts'

const CORE = [
  Deployment,
  StatefulSet,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  Pod,
  Secret,
  Service,
]
const PACKAGES = [
  ['kubernetes-models', CORE],
  ['@kubernetes-models/prometheus-operator', [ServiceMonitor]],
  ['@kubernetes-models/keda', [ScaledObject]],
] as const
const KINDS = new Map<string, { name: string; model: (typeof PACKAGES)[number][1][number] }>(
  PACKAGES.flatMap(([name, models]) =>
    models.map((model) => [`${model.apiVersion} ${model.kind}`, { name, model }] as const),
  ),
)
/** On a busy host the compiler itself failed once, which says nothing about the objects. */
const TRIES = 3
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))

function kindOf({ apiVersion, kind }: KubernetesObject) {
  const found = KINDS.get(`${apiVersion} ${kind}`)
  if (found === undefined) throw new Error(`${apiVersion} ${kind} is no kind that the specs know`)
  return found
}

/** Checks values, formats and required fields by the schemas of Kubernetes, KEDA and Prometheus. @throws one error per object */
export function validateObject(object: KubernetesObject): void {
  const { model: Model } = kindOf(object)
  // The data is what the constructor validates.
  new Model(object as never).validate()
}

/**
 * Finds the fields that Kubernetes does not know, which the schemas allow and an API server refuses: by the types of the same
 * packages, because TypeScript allows no unknown field in a literal.
 *
 * @returns the compiler's messages
 */
export async function unknownFields(objects: readonly KubernetesObject[]): Promise<string[]> {
  await mkdir(CHART_CACHE, { recursive: true })
  const folder = await mkdtemp(join(CHART_CACHE, 'types-'))
  try {
    const lines = objects.map((object) => {
      const { name } = kindOf(object)
      const { apiVersion, kind } = object
      const type = `import('${name}/${apiVersion}/${kind}').I${kind}`
      return `export const ${kind}${objects.indexOf(object)}: ${type} = ${JSON.stringify(object, null, 1)}`
    })
    const file = join(folder, 'objects.ts')
    await writeFile(file, lines.join('\n'))
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--types',
      '',
    ]
    for (let left = TRIES; ; left--) {
      try {
        await promisify(execFile)(TSC, ['--ignoreConfig', ...options, file])
        return []
      } catch (error) {
        const { stdout } = error as { stdout: string }
        const messages = stdout.split('\n').filter((line) => line.includes('error TS'))
        if (messages.length > 0) return messages
        if (left <= 1) throw error
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
