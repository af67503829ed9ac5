#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read.
import { existsSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const main = new URL('../dist/main.js', import.meta.url)

if (!existsSync(main)) {
  console.error('isopod-worker: not built yet; run: npm run setup')
  process.exitCode = 3
} else if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `isopod-worker: needs Node 22.18 or newer, this is ${process.versions.node}; use: npx isopod-worker`,
  )
  process.exitCode = 3
} else {
  const { launchService } = await import('@isopod/service-kit/launch')
  launchService(main)
}
