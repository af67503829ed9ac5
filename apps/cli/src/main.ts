import { connect } from '@isopod/client'
import { ensureStack, findStack, stackDown } from '@isopod/devstack'
import { write } from './io.ts'
import { runCli } from './program.ts'
import { queueSettings } from './queue-settings.ts'

// `isopod run x | head` closes the pipe: whoever reads has seen enough, and that is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

const exitCode = await runCli(
  process.argv.slice(2),
  { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env },
  {
    connect: (url, env) => connect({ url, ...queueSettings(env) }),
    findStack: (env) => findStack({ env }),
    ensureStack,
    stackDown,
  },
)
// All is written and closed. A terminal that was read from, or a socket that is slow to go, must not hold the prompt back.
await Promise.all([write(process.stdout, ''), write(process.stderr, '')])
process.exit(exitCode)
