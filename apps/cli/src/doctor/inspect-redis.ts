import type { QueueStats } from '@isopod/client'
import { withoutPassword } from '@isopod/devstack'
import type { LanguageSummary } from '@isopod/protocol'
import type { Services } from '../services.ts'
import { memoryText, secondsText } from '../terminal/units.ts'
import type { Finding } from './finding.ts'

/** The findings about Redis, and the languages that workers have registered there. */
interface RedisReport {
  readonly findings: readonly Finding[]
  readonly languages: readonly LanguageSummary[] | undefined
}

/**
 * Checks that the Redis of the queue answers and never evicts keys. A Redis that may evict keys can lose jobs, and clients
 * refuse it.
 *
 * @param recorded the Redis of the stack that is running, if one is
 */
export async function inspectRedis(
  services: Services,
  env: NodeJS.ProcessEnv,
  recorded: string | undefined,
): Promise<RedisReport> {
  const subject = 'redis'
  const url = env['REDIS_URL'] || recorded
  if (url === undefined) {
    const text = 'no REDIS_URL and none running; a private one is started when it is needed'
    return { findings: [{ state: 'absent', subject, text }], languages: undefined }
  }
  try {
    const client = await services.connect(url, env)
    try {
      const [languages, queue] = await Promise.all([client.languages(), client.queue()])
      const redis: Finding = { state: 'ok', subject, text: withoutPassword(url) }
      return { findings: [redis, judgeWorkers(languages, queue), ...untakenResults(queue)], languages }
    } finally {
      await client.close()
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { findings: [{ state: 'failed', subject, text }], languages: undefined }
  }
}

/** @param queue counts the workers whose leases are alive; the languages may be those of workers that are gone */
function judgeWorkers(
  languages: RedisReport['languages'],
  { workers, slots, waiting, prioritized }: QueueStats,
): Finding {
  const subject = 'workers'
  if (languages === undefined) {
    return { state: 'absent', subject, text: 'none has used this Redis yet; isopod up starts one' }
  }
  if (workers === 0) {
    const jobs = waiting + prioritized
    const text = `none is running${jobs === 0 ? '' : `, and ${jobs} jobs wait`}; isopod up starts one`
    return { state: 'warning', subject, text }
  }
  const names = languages.map(({ name }) => name).join(', ')
  return { state: 'ok', subject, text: `${workers} running, ${slots} jobs at once; can run ${names}` }
}

/** Results in Redis that nobody has taken, if there are any. */
function untakenResults({ untaken: { results, bytes, oldestAgeSeconds } }: QueueStats): Finding[] {
  if (results === 0) return []
  const text = `${results} not taken yet, ${memoryText(bytes)} in Redis; the oldest is ${secondsText(oldestAgeSeconds * 1000)} old`
  return [{ state: 'ok', subject: 'results', text }]
}
