import { runCli } from './program.ts'
import { systemServices } from './system-services.ts'

// `isopod run x | head` closes the pipe: the reader has seen enough, and that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  if (error.code !== 'EIO') throw error
})
// A terminal that was closed must not keep a command from tidying up behind itself.
process.stderr.on('error', () => {})
// The wrapper that found this Node for an old one (bin/isopod.js) is gone, and with it what could end this command.
process.on('disconnect', () => process.kill(process.pid, 'SIGHUP'))
process.channel?.unref()

const exitCode = await runCli(
  process.argv.slice(2),
  { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env },
  systemServices,
)
// All is written and closed. A terminal that was read from, or a socket that closes slowly, must not delay the prompt.
await Promise.allSettled(
  [process.stdout, process.stderr].map((output) => new Promise((done) => output.write('', done))),
)
process.exit(exitCode)
