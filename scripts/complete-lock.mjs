// Adds packages for other platforms to package-lock.json that npm omits if its registry lacks them. Without them `npm
// install` works but `npm ci` fails. Run it after a change of dependencies: `npm run lock`. With --check it changes nothing
// and exits with 1 if something is missing.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OS = [
  ['android', /android/],
  ['darwin', /darwin/],
  ['freebsd', /freebsd/],
  ['win32', /win32|windows/],
  ['linux', /linux/],
]
const CPU = [
  ['arm64', /arm64|aarch64/],
  ['x64', /x64|x86_64|-64$/],
  ['ia32', /ia32|x86$/],
  ['arm', /arm/],
]

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = missingPackages(lock.packages)
if (missing.length > 0 && process.argv.includes('--check')) {
  console.error(`package-lock.json lacks ${missing.map(([path]) => path).join(', ')}; run: npm run lock`)
  process.exitCode = 1
} else if (missing.length > 0) {
  const packages = [...Object.entries(lock.packages), ...missing]
  // npm sorts the same way, so the next install changes nothing.
  packages.sort(([one], [other]) => one.localeCompare(other, 'en'))
  writeFileSync(
    file,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, undefined, 2)}\n`,
  )
  console.error(`added ${missing.length} packages of other platforms to package-lock.json`)
}

function missingPackages(packages) {
  const found = new Map()
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const target = `node_modules/${name}`
      const [os, cpu] = [OS, CPU].map((table) => table.find(([, pattern]) => pattern.test(name))?.[0])
      const isThere = target in packages || `${path}/${target}` in packages
      // Only packages that pin the versions of their platform packages can be completed.
      if (isThere || os === undefined || cpu === undefined || !/^\d[\w.+-]*$/.test(version)) continue
      const dev = entry.dev ? { dev: true } : {}
      const libc = /musl/.test(name) ? { libc: ['musl'] } : {}
      found.set(target, { version, cpu: [cpu], ...dev, ...libc, optional: true, os: [os] })
    }
  }
  return [...found]
}
