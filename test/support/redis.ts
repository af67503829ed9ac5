import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs one command of redis-cli, with a URL in any form. Returns the lines of its output. */
export async function redisCli(url: string, ...command: string[]): Promise<string[]> {
  const socket = url.startsWith('redis+unix://') ? url.slice('redis+unix://'.length) : undefined
  const address = socket === undefined ? ['-u', url] : ['-s', socket]
  const { stdout } = await run('redis-cli', [...address, ...command])
  return stdout.split('\n').filter((line) => line !== '')
}

/** Names of all keys that match a pattern, sorted; hash tags in braces are taken literally by Redis' patterns. */
export async function redisKeys(url: string, pattern: string): Promise<string[]> {
  return (await redisCli(url, '--scan', '--pattern', pattern)).sort()
}
