import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Execution } from '../../src/contract/execution.ts'
import { openDockerSandbox } from '../../src/open-docker-sandbox.ts'
import type { Sandbox } from '../../src/sandbox.ts'
import { limits, script } from '../support/execution.ts'

let sandbox: Sandbox
let count = 0

beforeAll(async () => {
  sandbox = await openDockerSandbox({
    address: inject('stack').dockerHost,
    deployment: `report-test-${process.pid}`,
    owner: 'w1',
    users: { first: 60_000, last: 60_255, gid: 65_534 },
    allowOldRunc: true,
    observe: () => {},
  })
})

afterAll(async () => {
  await sandbox.close()
})

/** What came of a shell script that is to leave the file `said`. */
async function left(code: string, changes: Partial<Execution> = {}): Promise<string | undefined> {
  const id = `j-report-${process.pid}-${count++}`
  const { report } = await sandbox.run(script(code, { id, report: 'said', ...changes }))
  return report && Buffer.from(report).toString()
}

describe('the report of a program', () => {
  it('is what it has left in the file', async () => {
    expect(await left('printf through > said')).toBe('through')
    expect(await left(': > /workspace/said; echo through')).toBe('')
  })

  it.each([
    ['there is no such file', 'true'],
    ['it did not end with exit code 0', 'echo through > said; exit 3'],
    ['it is a link', 'echo through > other; ln -s other said'],
    ['it links to what is outside', 'ln -s /etc/passwd said'],
    ['it has another name beside it', 'echo through > other; ln other said'],
    ['it is a pipe', 'mkfifo said'],
    ['it is a folder', 'mkdir said'],
    ['it is too large', 'head -c 4097 /dev/zero > said'],
    ['it cannot be read', 'echo through > said; chmod 0 said'],
  ])('is none where %s', async (_, code) => {
    expect(await left(code)).toBeUndefined()
  })

  it('is empty if a limit ended the program', async () => {
    const changes = { limits: limits({ timeoutSeconds: 0.2 }) }
    expect(await left('echo through > said; while :; do :; done', changes)).toBeUndefined()
  })

  it('is not fetched unless it is asked for', async () => {
    expect(await left('echo through > said', { report: undefined })).toBeUndefined()
  })

  it('is beside the files that are asked for', async () => {
    const id = `j-report-${process.pid}-${count++}`
    const code =
      'mkdir -p a/b; printf 1 > a/b/c; printf "\\376" > raw; : > empty; ln -s /etc/passwd link; exit 3'
    const fetchFiles = ['raw', 'a/b/c', 'empty', 'link', 'a', 'none', 'a/../raw', '/etc/passwd']
    const { status, files } = await sandbox.run(script(code, { id, fetchFiles }))
    expect(status).toBe('execution_error')
    expect([...(files ?? [])].map(([path, bytes]) => [path, Buffer.from(bytes).toString('hex')])).toEqual([
      ...[
        ['raw', 'fe'],
        ['a/b/c', '31'],
        ['empty', ''],
      ],
    ])
  })

  it('leaves out files that are too large together, and all behind a limit', async () => {
    const id = `j-report-${process.pid}-${count++}`
    const code = 'head -c 3000000 /dev/zero > one; cp one two; printf 3 > three'
    const wanted = { id, fetchFiles: ['one', 'two', 'three'] }
    const { files } = await sandbox.run(script(code, wanted))
    expect([...(files?.keys() ?? [])]).toEqual(['one', 'three'])
    const late = { ...wanted, limits: limits({ timeoutSeconds: 0.3 }) }
    expect((await sandbox.run(script(`${code}; while :; do :; done`, late))).files).toBeUndefined()
  })

  it('is gone for the next program of a batch', async () => {
    const sharedBy = 'a batch'
    expect(await left('echo through > said', { sharedBy })).toBe('through\n')
    expect(await left('true', { sharedBy })).toBeUndefined()
  })
})
