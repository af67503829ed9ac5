import { runCli } from './program.ts'
import { systemServices } from './system-services.ts'

// `isopod run x | head` closes the pipe early, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  if (error.code !== 'EIO') throw error
})
// A closed terminal must not prevent a command's clean-up.
process.stderr.on('error', () => {})
// bin/isopod.js, which forwards signals to this process, has ended.
process.on('disconnect', () => process.kill(process.pid, 'SIGHUP'))
process.channel?.unref()

const exitCode = await runCli(
  process.argv.slice(2),
  { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env },
  systemServices,
)
// An open terminal or a socket that closes slowly would keep the process alive, so it exits once its output is written.
await Promise.allSettled(
  [process.stdout, process.stderr].map((output) => new Promise((done) => output.write('', done))),
)
process.exit(exitCode)
