import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = `
import { readFileSync } from 'node:fs'
import { openPolicyChecker } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)}

const checker = await openPolicyChecker()
let found = 0
for (const [language, filename, code] of [
  ['python', 'main.py', 'eval("1")\\n'],
  ['javascript', 'main.js', 'eval("1");'],
  ['typescript', 'main.ts', 'eval("1");'],
  ['bash', 'main.sh', 'if [ "$a" = b ]; then echo "$(eval x)" | grep y; fi\\n'],
]) {
  // Often enough for V8 to optimize the grammars.
  for (let times = 0; times < 10; times++) {
    const program = { language, filename, code: code.repeat(25_000 / code.length) }
    const { problems } = await checker.check(program, { mode: 'enforce', rules: 'standard' })
    found += problems.length
  }
}
// V8 optimizes in the background, which takes memory, too.
await new Promise((resolve) => setTimeout(resolve, 2_000))
const peak = /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
await checker.close()
console.log(JSON.stringify({ found, peakMb: Number(peak) / 1024 }))
`

it('a process that checks every language stays below 250 MiB', async (context) => {
  context.skip(process.platform !== 'linux', 'the peak of memory is read from /proc')

  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], { env: {} })
  const { found, peakMb } = JSON.parse(stdout)
  expect(found).toBe(40)
  expect(peakMb).toBeGreaterThan(0)
  expect(peakMb).toBeLessThan(250)
})
