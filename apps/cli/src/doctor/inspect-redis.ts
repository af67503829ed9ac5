import { withoutPassword } from '@isopod/devstack'
import type { Services } from '../services.ts'
import type { Finding } from './finding.ts'

/**
 * Checks the Redis that jobs would go through: that it answers, and that it fits (a Redis that may evict keys would lose
 * jobs, and a client refuses it).
 *
 * @param recorded the Redis of the stack that is running, if one is
 */
export async function inspectRedis(
  services: Services,
  env: NodeJS.ProcessEnv,
  recorded: string | undefined,
): Promise<Finding[]> {
  const url = env['REDIS_URL'] || recorded
  if (url === undefined) {
    const text = 'no REDIS_URL and none running; a private one is started when it is needed'
    return [{ state: 'absent', subject: 'redis', text }]
  }
  try {
    const client = await services.connect(url, env)
    try {
      return [
        { state: 'ok', subject: 'redis', text: withoutPassword(url) },
        judgeWorkers(await client.languages()),
      ]
    } finally {
      await client.close()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ state: 'failed', subject: 'redis', text: `${reason}; start it, or unset REDIS_URL` }]
  }
}

function judgeWorkers(languages: readonly { readonly name: string }[] | undefined): Finding {
  const subject = 'workers'
  if (languages === undefined) {
    return { state: 'absent', subject, text: 'none has used this Redis yet; isopod up starts one' }
  }
  return { state: 'ok', subject, text: `can run ${languages.map(({ name }) => name).join(', ')}` }
}
