#!/usr/bin/env node
// Plain JavaScript that old Nodes can read. stdout is the protocol, so every word of this goes to stderr.
import { existsSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const main = new URL('../dist/main.js', import.meta.url)

if (!existsSync(main)) {
  console.error('isopod-mcp: not built yet; run: npm run setup')
  process.exitCode = 3
} else if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `isopod-mcp: needs Node 22.18 or newer, this is ${process.versions.node}; use: npx isopod mcp`,
  )
  process.exitCode = 3
} else {
  await import(main.href)
}
