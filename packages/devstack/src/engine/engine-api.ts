import { readFileSync } from 'node:fs'
import { type ClientRequest, type RequestOptions, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { join } from 'node:path'

/** An answer of a Docker engine. */
export interface EngineReply {
  readonly status: number
  readonly body: string
}

/**
 * Sends one request to a Docker engine.
 *
 * @param dockerHost as in `DOCKER_HOST`: `unix://`, `tcp://`, `http://` or `https://`
 * @param target method and path, for example `GET /_ping`
 * @throws {Error} if the engine does not respond within `deadlineMs`, or if the address has an unknown form
 */
export async function askEngine(
  dockerHost: string,
  target: `${'GET' | 'POST' | 'DELETE'} /${string}`,
  options: { deadlineMs?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<EngineReply> {
  const [method, path] = target.split(' ', 2)
  return await new Promise((settle, reject) => {
    const request = open(dockerHost, { method, path }, options.env ?? process.env)
    const timer = setTimeout(
      () => request.destroy(new Error('no answer in time')),
      options.deadlineMs ?? 30_000,
    )
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    request.once('error', fail)
    request.once('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.once('error', fail)
      response.once('end', () => {
        clearTimeout(timer)
        settle({ status: response.statusCode ?? 0, body })
      })
    })
    request.end()
  })
}

/**
 * Reads JSON from an engine.
 *
 * @throws {Error} if it does not respond, or responds with a status other than 200
 */
export async function engineJson(dockerHost: string, path: `/${string}`): Promise<unknown> {
  const { status, body } = await askEngine(dockerHost, `GET ${path}`)
  if (status !== 200) throw new Error(`the engine answered ${status} to ${path}: ${body.slice(0, 200)}`)
  return JSON.parse(body)
}

/**
 * Pings an engine.
 *
 * @returns undefined if it responds, else the reason, as the end of a sentence; never throws
 */
export async function checkEngine(
  dockerHost: string,
  env: NodeJS.ProcessEnv = process.env,
  deadlineMs = 2000,
): Promise<string | undefined> {
  try {
    const { status } = await askEngine(dockerHost, 'GET /_ping', { deadlineMs, env })
    return status === 200 ? undefined : `answers ${status} to a ping`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return `does not answer (${code ?? message})`
  }
}

function open(dockerHost: string, options: RequestOptions, env: NodeJS.ProcessEnv): ClientRequest {
  // One connection per request, because an idle connection would keep the process alive.
  const call = { ...options, agent: false, headers: { connection: 'close' } } as const
  if (dockerHost.startsWith('unix://')) {
    return requestPlain({ ...call, socketPath: dockerHost.slice('unix://'.length), host: 'docker' })
  }
  if (!URL.canParse(dockerHost)) throw new Error(`${dockerHost} is not an engine's address`)
  const { protocol, hostname, port } = new URL(dockerHost.replace(/^tcp:/, 'http:'))
  const tls = protocol === 'https:' || Boolean(env['DOCKER_TLS_VERIFY'])
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new Error('only unix://, tcp://, http:// and https:// addresses are supported')
  }
  const place = { ...call, host: hostname, port: port || (tls ? 2376 : 2375) }
  return tls ? requestTls({ ...place, ...certificates(env['DOCKER_CERT_PATH']) }) : requestPlain(place)
}

function certificates(folder: string | undefined): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  if (!folder) return {}
  const read = (name: string) => readFileSync(join(folder, name))
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') }
}
