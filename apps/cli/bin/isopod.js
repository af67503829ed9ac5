#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read: it finds a Node and a build that can run the command.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const main = new URL('../dist/main.js', import.meta.url)

if (!existsSync(main)) {
  console.error('isopod: not built yet; run: npm run setup')
  process.exitCode = 3
} else if (major > 22 || (major === 22 && minor >= 18)) {
  await import(main.href)
} else {
  // The checkout brings a newer Node where the system's is too old.
  const node = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
  if (!existsSync(node) || realpathSync(node) === realpathSync(process.execPath)) {
    console.error(`isopod: needs Node 22.18 or newer, this is ${process.versions.node}; run: npm run setup`)
    process.exitCode = 3
  } else {
    const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
    // The IPC channel closes when this process ends for any reason, and the child ends too.
    const child = spawn(node, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    // A terminal sends Ctrl-C to both processes, so the parent only waits; `kill` reaches the parent alone.
    const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
    process.on('SIGINT', () => hasTerminal || child.kill('SIGINT'))
    for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name))
    child.on('error', (error) => {
      console.error(`isopod: ${node} cannot be run (${error.message}); run: npm run setup`)
      process.exitCode = 3
    })
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? { SIGINT: 130, SIGHUP: 129 }[signal] ?? 143
    })
  }
}
