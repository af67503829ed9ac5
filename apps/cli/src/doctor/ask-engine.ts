import { request } from 'node:http'

const DEADLINE_MS = 4_000
const LARGEST_ANSWER = 16 * 1024 * 1024

/**
 * Reads JSON from a Docker engine.
 *
 * @param dockerHost `unix://…`, `tcp://…` or `http://…`
 * @throws {Error} when there is no answer of status 200 within 4 s
 */
export function askEngine(dockerHost: string, path: string): Promise<unknown> {
  const place = dockerHost.startsWith('unix://')
    ? { socketPath: dockerHost.slice('unix://'.length) }
    : { host: new URL(dockerHost).hostname, port: new URL(dockerHost).port || 2375 }
  return new Promise((resolve, reject) => {
    const call = request({ ...place, path, signal: AbortSignal.timeout(DEADLINE_MS) }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
        if (body.length > LARGEST_ANSWER) call.destroy(new Error('the answer has no end'))
      })
      response.once('error', reject)
      response.once('end', () => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        else resolve(JSON.parse(body))
      })
    })
    call.once('error', reject)
    call.end()
  })
}
