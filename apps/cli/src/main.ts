import { join } from 'node:path'
import { openAccess } from '@isopod/access'
import { connect } from '@isopod/client'
import { ensureStack, findStack, stackDown, stackPaths, startGateway } from '@isopod/devstack'
import { readQueueSettings } from '@isopod/service-kit'
import { openWebhookQueue } from '@isopod/webhooks'
import { write } from './io.ts'
import { runCli } from './program.ts'
import { serveMcp } from './serve-mcp.ts'
import { SECRET_VARIABLE, webhookSecret } from './webhook-secret.ts'

// `isopod run x | head` closes the pipe: whoever reads has seen enough, and that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  if (error.code !== 'EIO') throw error
})
// A terminal that was closed must not keep a command from tidying up behind itself.
process.stderr.on('error', () => {})
// The wrapper that found this Node for an old one (bin/isopod.js) is gone, and nobody is left to end this command.
process.on('disconnect', () => process.kill(process.pid, 'SIGHUP'))
process.channel?.unref()

const exitCode = await runCli(
  process.argv.slice(2),
  { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env },
  {
    connect: (url, env) => connect({ url, ...readQueueSettings(env) }),
    findStack: (env) => findStack({ env }),
    ensureStack,
    stackDown,
    startGateway: async ({ env, ...options }) =>
      await startGateway({
        ...options,
        env: { ...env, [SECRET_VARIABLE]: await webhookSecret(env) },
        log: join(stackPaths(env).logs, 'gateway.log'),
      }),
    openAccess: (url, env) => openAccess({ url, ...readQueueSettings(env) }),
    openWebhooks: (url, env) => openWebhookQueue({ url, ...readQueueSettings(env) }),
    serveMcp,
  },
)
// All is written and closed. A terminal that was read from, or a socket that is slow to go, must not hold the prompt back.
await Promise.allSettled([write(process.stdout, ''), write(process.stderr, '')])
process.exit(exitCode)
