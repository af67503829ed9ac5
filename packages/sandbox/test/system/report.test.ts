import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContainerSandbox } from '../../src/container-sandbox.ts'
import type { Execution } from '../../src/contract/execution.ts'
import type { Sandbox } from '../../src/sandbox.ts'
import { limits, script } from '../support/execution.ts'
import { expectNoRecords, openTestDriver } from '../support/open-driver.ts'

expectNoRecords()

let sandbox: Sandbox
let count = 0

beforeAll(async () => {
  const deployment = `report-test-${process.pid}`
  sandbox = new ContainerSandbox(await openTestDriver({ deployment, owner: 'w1' }), { deployment })
})

afterAll(async () => {
  await sandbox.close()
})

/** The report of a shell script that should write it to the file `said`. */
async function reportOf(code: string, changes: Partial<Execution> = {}): Promise<string | undefined> {
  const id = `j-report-${process.pid}-${count++}`
  const { report } = await sandbox.run(script(code, { id, report: 'said', ...changes }))
  return report && Buffer.from(report).toString()
}

describe('the report of a program', () => {
  it('is the content of the file', async () => {
    expect(await reportOf('printf through > said')).toBe('through')
    expect(await reportOf(': > /workspace/said; echo through')).toBe('')
  })

  it.each([
    ['the file does not exist', 'true'],
    ['the exit code is not 0', 'echo through > said; exit 3'],
    ['the file is a link', 'echo through > other; ln -s other said'],
    ['the file is a link out of the workspace', 'ln -s /etc/passwd said'],
    ['the file has a second hard link', 'echo through > other; ln other said'],
    ['the file is a pipe', 'mkfifo said'],
    ['the file is a folder', 'mkdir said'],
    ['the file is too large', 'head -c 1048577 /dev/zero > said'],
    ['the file cannot be read', 'echo through > said; chmod 0 said'],
  ])('is undefined if %s', async (_, code) => {
    expect(await reportOf(code)).toBeUndefined()
  })

  it('is undefined if a limit ended the program', async () => {
    const changes = { limits: limits({ timeoutSeconds: 0.2 }) }
    expect(await reportOf('echo through > said; while :; do :; done', changes)).toBeUndefined()
  })

  it('is not fetched unless it is requested', async () => {
    expect(await reportOf('echo through > said', { report: undefined })).toBeUndefined()
  })

  it('comes with the requested files', async () => {
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

  it('leaves out files above the total size, and all files after a limit ended the program', async () => {
    const id = `j-report-${process.pid}-${count++}`
    const code = 'head -c 3000000 /dev/zero > one; cp one two; printf 3 > three'
    const wanted = { id, fetchFiles: ['one', 'two', 'three'] }
    const { files } = await sandbox.run(script(code, wanted))
    expect([...(files?.keys() ?? [])]).toEqual(['one', 'three'])
    const late = { ...wanted, limits: limits({ timeoutSeconds: 0.3 }) }
    expect((await sandbox.run(script(`${code}; while :; do :; done`, late))).files).toBeUndefined()
  })

  it('does not exist for the next program of a batch', async () => {
    const sharedBy = 'a batch'
    expect(await reportOf('echo through > said', { sharedBy })).toBe('through\n')
    expect(await reportOf('true', { sharedBy })).toBeUndefined()
  })
})
