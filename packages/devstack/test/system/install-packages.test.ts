import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../../scripts/install-packages.sh', import.meta.url))
const POLICY = '/usr/sbin/policy-rc.d'

let folder: string

/**
 * Runs the script with an apt-get that writes down what it got and how a package's script would see the policy.
 *
 * @param body what that apt-get does then
 */
async function install(body: string) {
  await writeFile(
    join(folder, 'apt-get'),
    `#!/bin/sh\necho "$@" > ${folder}/words; ${POLICY}; echo $? > ${folder}/policy\n${body}\n`,
  )
  await chmod(join(folder, 'apt-get'), 0o755)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const script = spawn('sh', [SCRIPT, 'one', 'two'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return { script, ended: once(script, 'exit') }
}

const isRoot = process.getuid?.() === 0
const isFree = await stat(POLICY).then(
  () => false,
  () => true,
)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-install-packages-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('installing packages', () => {
  it('refuses services a start meanwhile, and only then', async (context) => {
    context.skip(!isRoot || !isFree, `needs root, and a host without ${POLICY}`)
    const { ended } = await install('exit 7')
    expect(await ended).toEqual([7, null])
    expect(await readFile(join(folder, 'words'), 'utf8')).toMatch(/^install -y .* one two\n$/)
    expect(await readFile(join(folder, 'policy'), 'utf8')).toBe('101\n')
    await expect(access(POLICY)).rejects.toThrow('ENOENT')
  })

  it('lets apt-get end before a signal ends it', async (context) => {
    context.skip(!isRoot || !isFree, `needs root, and a host without ${POLICY}`)
    const { script, ended } = await install(`echo begun; sleep 1; test -e ${POLICY} && touch ${folder}/done`)
    await once(script.stdout, 'data')
    script.kill('SIGTERM')
    await ended
    await access(join(folder, 'done'))
    await expect(access(POLICY)).rejects.toThrow('ENOENT')
  })

  it('waits for another one, whose end would remove the policy', async (context) => {
    context.skip(!isRoot || !isFree, `needs root, and a host without ${POLICY}`)
    const log = join(folder, 'log')
    const body = `echo begun; echo begun >> ${log}; sleep 0.5; test -e ${POLICY} && echo refused >> ${log}`
    const first = await install(body)
    await once(first.script.stdout, 'data')
    const second = await install(body)
    await Promise.all([first.ended, second.ended])
    expect(await readFile(log, 'utf8')).toBe('begun\nrefused\n'.repeat(2))
    await expect(access(POLICY)).rejects.toThrow('ENOENT')
  })

  it('keeps the policy of an administrator', async (context) => {
    context.skip(!isRoot || !isFree, `needs root, and a host without ${POLICY}`)
    await writeFile(POLICY, '#!/bin/sh\nexit 104\n', { mode: 0o755 })
    try {
      const { ended } = await install('')
      expect(await ended).toEqual([0, null])
      expect(await readFile(join(folder, 'policy'), 'utf8')).toBe('104\n')
      await access(POLICY)
    } finally {
      await rm(POLICY)
    }
  })
})
