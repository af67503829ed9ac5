import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  checkLockedMemory,
  checkSeccomp,
  checkState,
  HOST_CHECKS,
  namespaceRemedy,
} from '../../src/process/host-checks.ts'

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isopod-checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// promise: process-host-checks
describe('the checks of the process driver’s host', () => {
  it('have one word each, which doctor shows', () => {
    const subjects = HOST_CHECKS.map(({ subject }) => subject)
    expect(subjects).toEqual(['users', 'cgroups', 'overlay', 'seccomp', 'memlock', 'state'])
  })

  it.each([
    ['kernel.unprivileged_userns_clone', '0', /^run sysctl kernel\.unprivileged_userns_clone=1$/],
    ['user.max_user_namespaces', '0', /^run sysctl user\.max_user_namespaces=\d+$/],
    [
      'kernel.apparmor_restrict_unprivileged_userns',
      '1',
      /^run sysctl .*=0, or give unshare and isopod-spawner AppArmor profiles/,
    ],
    ['kernel.unprivileged_userns_clone', '1', /^unshare: no; in a container, allow it mount and unshare/],
  ])('name what to change if %s is %s', (name, value, remedy) => {
    expect(namespaceRemedy((each) => (each === name ? value : undefined), 'unshare: no')).toMatch(remedy)
  })

  it('name the actions of seccomp that a kernel lacks', () => {
    expect(checkSeccomp('kill_process kill_thread trap errno trace log allow')).toBe('filters are available')
    expect(() => checkSeccomp('kill_thread errno allow')).toThrow(
      'lacks the seccomp action kill_process; use',
    )
    expect(() => checkSeccomp('')).toThrow('errno, kill_process')
  })

  it('name a limit of locked memory that is too low for sandboxes, unless the worker can raise it', () => {
    const limits = (hard: string) =>
      `Max locked memory         65536                ${hard}              bytes`
    const status = (capabilities: string) => `Name:\tnode\nCapEff:\t${capabilities}\nSeccomp:\t0\n`
    const none = status('0000000000000000')
    for (const hard of ['unlimited', '8388608', '1048576']) {
      expect(checkLockedMemory(limits(hard), none)).toBe('enough memory can be locked')
    }
    expect(checkLockedMemory(limits('65536'), status('000001ffffffffff'))).toContain('can be raised')
    for (const capabilities of [none, status('00000000000010e0')]) {
      expect(() => checkLockedMemory(limits('65536'), capabilities)).toThrow(
        'is 65536 bytes, and sandboxes have 1048576; set LimitMEMLOCK=1M',
      )
    }
  })

  it('refuse a state directory that is a file, or cannot be made', () => {
    const folder = temporary()
    writeFileSync(join(folder, 'file'), '')
    expect(checkState(folder)).toBe(folder)
    expect(checkState(join(folder, 'a/b'))).toBe(`${folder}/a/b, made at the first start`)
    expect(() => checkState(join(folder, 'file'))).toThrow(
      `ISOPOD_SANDBOX_STATE_DIR: must be a directory; choose a directory of the worker's user, got ${folder}/file`,
    )
    expect(() => checkState(join(folder, 'file', 'state'))).toThrow(
      /cannot be made, because this user may not write to/,
    )
  })

  it('refuse a state directory that others could change', (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can give a directory to another user')
    const state = join(temporary(), 'state')
    mkdirSync(state)
    chmodSync(state, 0o1777)
    expect(checkState(state)).toBe(state)
    mkdirSync(join(state, 'records'))
    expect(() => checkState(state)).toThrow('must not be writable for others')
    chmodSync(state, 0o711)
    expect(checkState(state)).toBe(state)
    chownSync(join(state, 'records'), 1234, 1234)
    expect(() => checkState(state)).toThrow('contains records, which belongs to another user')
  })

  it('refuse a state directory that cannot be written', (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can mount')
    const state = join(temporary(), 'state')
    mkdirSync(state)
    const check = `const { checkState } = await import(process.argv[1]); checkState(process.argv[2])`
    const module = new URL('../../src/process/host-checks.ts', import.meta.url).href
    const words = [process.execPath, '--input-type=module', '-e', check, module, state]
    for (const [options, problem] of [
      ['size=4k', 'ENOSPC'],
      ['ro', 'EROFS'],
    ] as const) {
      const fill = `mount -t tmpfs -o mode=755,${options} tmpfs "$1" && { head -c 4096 /dev/zero > "$1/full" || true; }; shift; exec "$@"`
      const { stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', fill, 'sh', state, ...words], {
        encoding: 'utf8',
      })
      expect(stderr).toContain(`ISOPOD_SANDBOX_STATE_DIR: cannot be written (${problem}: `)
    }
  })

  it('refuse a state directory whose sockets could not be reached', () => {
    expect(() => checkState('state')).toThrow('must be an absolute path')
    expect(() => checkState(`/${'s'.repeat(65)}`)).toThrow('must have at most 65 bytes')
  })

  it('refuse a state directory of another user', (context) => {
    context.skip(process.getuid?.() !== 0, 'only root can give a directory to another user')
    const state = join(temporary(), 'state')
    mkdirSync(state)
    chownSync(state, 1234, 1234)
    expect(() => checkState(state)).toThrow(/must belong to the worker's user \(0\), but .* user 1234/)
  })
})
