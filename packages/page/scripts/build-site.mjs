// Bundles the page into dist/static. Names of assets contain a hash of their content, so caches never go stale. Each file
// also has compressed copies.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

const outDir = fileURLToPath(new URL('../dist/static', import.meta.url))

await build({
  configFile: false,
  root: fileURLToPath(new URL('../src/site', import.meta.url)),
  base: '/',
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the page allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})

const assets = join(outDir, 'assets')
for (const name of readdirSync(assets)) {
  const content = readFileSync(join(assets, name))
  writeFileSync(join(assets, `${name}.br`), brotliCompressSync(content))
  writeFileSync(join(assets, `${name}.gz`), gzipSync(content))
}
