import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  checkEngine,
  type EngineService,
  engineJson,
  IMAGE_NAMES,
  IMAGES,
  USUAL_IMAGES,
} from '@isopod/devstack'
import { isGvisor, type LanguageSummary, visible } from '@isopod/protocol'
import type { Finding } from './finding.ts'
import { judgeRunc } from './runc-version.ts'

interface Version {
  readonly Version?: string
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[]
}

interface Info {
  readonly CgroupVersion?: string
  readonly CgroupDriver?: string
  readonly MemoryLimit?: boolean
  readonly SwapLimit?: boolean
  readonly PidsLimit?: boolean
  readonly CpuCfsQuota?: boolean
  readonly Runtimes?: Readonly<Record<string, unknown>>
  readonly DefaultRuntime?: string
}

/**
 * Checks the engine that jobs would run on, and what it offers.
 *
 * @param recorded the engine of the stack that is running, if one is
 * @param languages the languages that workers have registered
 */
export async function inspectEngine(
  env: NodeJS.ProcessEnv,
  recorded: EngineService | undefined,
  languages: readonly LanguageSummary[] | undefined,
): Promise<Finding[]> {
  const given = env['DOCKER_HOST']
  if (recorded === undefined && given) {
    const problem = await checkEngine(given, env)
    if (problem !== undefined) {
      const text = `DOCKER_HOST ${given} ${problem}; start that engine, or unset DOCKER_HOST`
      return [{ state: 'failed', subject: 'engine', text }]
    }
  }
  const dockerHost = await findEngine(env, recorded?.dockerHost)
  if (dockerHost === undefined) {
    const text = 'none answers; start Docker, or run as root and a private one is started when it is needed'
    return [{ state: process.getuid?.() === 0 ? 'absent' : 'failed', subject: 'engine', text }]
  }
  try {
    const version = (await engineJson(dockerHost, '/version')) as Version
    const info = (await engineJson(dockerHost, '/info')) as Info
    const images = (await engineJson(dockerHost, '/images/json')) as { RepoTags: string[] | null }[]
    const runc = version.Components?.find(({ Name }) => Name === 'runc')?.Version
    return [
      { state: 'ok', subject: 'engine', text: visible(`${version.Version ?? '?'} at ${dockerHost}`) },
      judgeRunc(runc === undefined ? undefined : visible(runc), recorded?.ours || acceptsOldRunc(env)),
      runtimes(info),
      judgeCgroup(info),
      languages === undefined
        ? judgeImages(images.flatMap(({ RepoTags }) => RepoTags ?? []))
        : judgeCatalogue(languages),
    ]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ state: 'failed', subject: 'engine', text: `${dockerHost} answers pings only (${reason})` }]
  }
}

/** Whether workers with this environment accept an old runc, or use another runtime. */
function acceptsOldRunc(env: NodeJS.ProcessEnv): boolean {
  return env['ISOPOD_ALLOW_OLD_RUNC'] === 'true' || isGvisor(env['ISOPOD_RUNTIME'] ?? '')
}

/** Address of the engine that jobs would run on: the running stack's, else DOCKER_HOST, else a default socket that answers. */
export async function findEngine(
  env: NodeJS.ProcessEnv,
  recorded: string | undefined,
): Promise<string | undefined> {
  return recorded ?? (env['DOCKER_HOST'] || (await defaultEngine(env)))
}

async function defaultEngine(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = join(homedir(), '.docker', 'run', 'docker.sock')
  for (const socket of [env['DOCKER_SOCKET_PATH'], '/var/run/docker.sock', home]) {
    if (socket && (await checkEngine(`unix://${socket}`, env)) === undefined) return `unix://${socket}`
  }
  return undefined
}

/** Names the OCI runtimes that jobs can run under. */
function runtimes({ Runtimes = {}, DefaultRuntime = 'unknown' }: Info): Finding {
  const names = Object.keys(Runtimes).filter((name) => !name.startsWith('io.containerd.'))
  const text = `${names.join(', ') || 'none named'}; default ${DefaultRuntime}`
  return { state: 'ok', subject: 'runtimes', text: visible(text) }
}

/** Reports which limits the kernel cannot enforce. Without swap accounting a program may swap beyond its memory limit. */
export function judgeCgroup(info: Info): Finding {
  const subject = 'cgroup'
  const text = `v${info.CgroupVersion ?? '1'}, driver ${info.CgroupDriver ?? 'unknown'}`
  const missing = [
    info.MemoryLimit === false ? 'memory' : '',
    info.PidsLimit === false ? 'processes' : '',
    info.CpuCfsQuota === false ? 'cpus' : '',
  ].filter((name) => name !== '')
  if (missing.length > 0) {
    const what = missing.join(', ')
    return {
      state: 'failed',
      subject,
      text: `${text}; the kernel cannot limit ${what}: enable their controllers`,
    }
  }
  if (info.SwapLimit === false) {
    return {
      state: 'warning',
      subject,
      text: `${text}; swap is not limited: boot with swapaccount=1, or without swap`,
    }
  }
  return { state: 'ok', subject, text }
}

/** Checks the images of the registered languages: a missing one that set-up cannot build is a fault. */
export function judgeCatalogue(languages: readonly LanguageSummary[]): Finding {
  const subject = 'images'
  const missing = [...new Set(languages.flatMap(({ missingImage }) => missingImage ?? []))]
  const unbuildable = missing.filter((image) => !Object.values<string>(IMAGES).includes(image))
  const ready = languages.filter(({ missingImage }) => missingImage === undefined).length
  const text = `${ready} of the ${languages.length} languages of the workers have their image`
  if (unbuildable.length > 0) {
    const names = visible(unbuildable.join(', '))
    return { state: 'failed', subject, text: `${text}; build or pull ${names}, which the catalogue names` }
  }
  const wanted = USUAL_IMAGES.filter((name) => missing.includes(IMAGES[name]))
  if (wanted.length > 0) {
    return {
      state: 'absent',
      subject,
      text: `${text}; npm run images -- ${wanted.join(' ')} builds the usual ones`,
    }
  }
  return { state: 'ok', subject, text: missing.length > 0 ? `${text}; npm run images lists all` : text }
}

/** Checks the images of this checkout's catalogue, which applies until a worker has registered its own. */
export function judgeImages(tags: readonly string[]): Finding {
  const subject = 'images'
  const missing = USUAL_IMAGES.filter((name) => !tags.includes(IMAGES[name]))
  if (missing.length > 0) {
    const images = missing.map((name) => IMAGES[name]).join(', ')
    const text = `${images} not built; npm run images -- ${missing.join(' ')} builds them, and so do demo, up and run`
    return { state: 'absent', subject, text }
  }
  const ready = IMAGE_NAMES.filter((name) => tags.includes(IMAGES[name]))
  const more = ready.length < IMAGE_NAMES.length ? '; npm run images lists all' : ''
  const text = `${ready.length} of ${IMAGE_NAMES.length}: ${ready.join(', ')}${more}`
  return { state: 'ok', subject, text }
}
