import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const SPEC = 'packages/sandbox/test/system/process-protections.test.ts'
const TABLE = join(root, 'docs', 'process-mutation-table.md')
const INTRODUCTION = `# Which test notices a missing protection of the process driver

Made by \`npm run mutation -- process\`. [process-protections.test.ts](../${SPEC})
removes or weakens one protection at a time in what the worker writes to cgroups and the spawner. What notices it:

- **start**: no sandbox starts, so the worker runs nothing.
- **read-back**: init reads other limits than the worker asked for, so the worker runs nothing.
- **record**: the host's kernel shows another sandbox than the one that was asked for, in \`/proc\` of its init.
- any other word: this probe of the self-test succeeds as an attack, so the worker takes no job.

Its own processes, mounts, network and root have no row: without their steps, the spawner would mount on the host.
[spawner.test.ts](../packages/init/test/native/spawner.test.ts) tests that step.

[Which test notices a missing hardening flag](mutation-table.md) is the same for containers of an engine.
`

/**
 * Breaks each protection of the process driver and writes the table of what noticed it, in half a minute.
 *
 * @returns exit code: 1 if a mutation was not noticed
 */
export function writeProcessTable() {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-mutation-'))
  const report = join(folder, 'specs.json')
  const args = [
    'run',
    '--project',
    'system',
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${report}`,
    SPEC,
  ]
  const { status } = spawnSync('vitest', args, { cwd: root, stdio: 'inherit' })
  try {
    const { testResults: files } = JSON.parse(readFileSync(report, 'utf8'))
    const rows = files.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ meta }) => (meta.row ? [meta.row] : [])),
    )
    if (status === 0) write(rows)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return status === 0 ? 0 : 1
}

function write(rows) {
  const cell = (text) => String(text ?? '').replaceAll('|', '\\|')
  // Names and keys of one machine and one run.
  const general = (text) =>
    cell(text)
      .replaceAll(/\b[0-9a-f]{24}\b/g, '…')
      .replaceAll(/isopod-weak-\w+/g, 'isopod-weak-…')
      .replace(new RegExp(`called ${hostname()}$`), 'called by its own name')
  const lines = rows.map((row) => `| ${row.map(general).join(' | ')} |`)
  const head =
    '| protection | becomes | noticed by | how | why only the record |\n| --- | --- | --- | --- | --- |'
  writeFileSync(TABLE, `${INTRODUCTION}\n${head}\n${lines.join('\n')}\n`)
  spawnSync('biome', ['format', '--write', TABLE], { cwd: root, stdio: 'inherit' })
}
