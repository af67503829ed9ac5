import { spawn } from 'node:child_process'

/** Runs one process with this standard input. @throws if it does not exit with 0 */
export function runProcess(
  words: readonly [string, ...string[]],
  stdin: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const [program, ...rest] = words
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    const out: Buffer[] = []
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      err = `${err}${chunk}`.slice(-500)
    })
    // A program need not read all of its input.
    child.stdin.on('error', () => {})
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString())
      else reject(new Error(`${program} ended with ${code ?? 'a signal'}: ${err.trim()}`))
    })
    child.stdin.end(stdin)
  })
}
