import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { CHECKOUT } from '@isopod/devstack'
import { EXIT, type ExitCode } from '@isopod/service-kit'

const BIN = join(CHECKOUT, 'apps', 'mcp', 'bin', 'isopod-mcp.js')

/** Signals to forward to the server. A terminal sends Ctrl-C to both processes; a second signal has no effect. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the MCP server with this process's stdin, stdout and stderr, and resolves with its exit code. */
export async function serveMcp(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: 'inherit' })
  const stop = () => void child.kill('SIGTERM')
  for (const name of SIGNALS) process.on(name, stop)
  try {
    const [code] = await once(child, 'exit')
    return Object.values(EXIT).find((known) => known === code) ?? EXIT.platform
  } finally {
    for (const name of SIGNALS) process.off(name, stop)
  }
}
