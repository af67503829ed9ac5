import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@isopod/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { processRoots } from '../../../../test/support/process-roots.ts'
import { HOST_CHECKS } from '../../src/process/host-checks.ts'
import { openProcessDriver } from '../../src/process/open-process-driver.ts'

// promise: process-host-checks
it('the process driver starts where every check of its host passes, and refuses with the check’s sentence', async () => {
  const roots = await processRoots()
  const folder = await mkdtemp(join(tmpdir(), 'isopod-process-host-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const state = join(folder, 'state')
  for (const { run } of HOST_CHECKS) expect(await run({ state })).toMatch(/./)
  const users = { first: 60_000, last: 60_003, gid: 60_000 }
  const options = { roots, deployment: 'host-checks', owner: 'host-checks', users }
  await (await openProcessDriver({ ...options, state })).close()

  await writeFile(join(folder, 'file'), '')
  const refused = openProcessDriver({ ...options, state: join(folder, 'file') })
  await expect(refused).rejects.toThrow(ConfigError)
  await expect(refused).rejects.toThrow('ISOPOD_SANDBOX_STATE_DIR: must be a directory; choose')
})
