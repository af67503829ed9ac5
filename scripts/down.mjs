// Stops everything that set-up has started: `npm run down`; with `-- --purge` it also deletes the images.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const wrong = process.argv.slice(2).filter((word) => word !== '--purge')
if (wrong.length > 0) {
  console.error(`down: the only option is --purge, got ${wrong.join(' ')}`)
  process.exit(2)
}
const devstack = new URL('../packages/devstack/dist/index.js', import.meta.url)
if (!existsSync(fileURLToPath(devstack))) {
  console.error('down: nothing is built here, so nothing was started from here')
  process.exit(0)
}
const { stackDown } = await import(devstack.href)
try {
  let stopped = false
  const log = (line) => {
    stopped = true
    console.error(line)
  }
  await stackDown({ purge: process.argv.includes('--purge'), log })
  if (!stopped) log('nothing was running')
} catch (error) {
  console.error(`down: ${error.message}`)
  process.exit(3)
}
