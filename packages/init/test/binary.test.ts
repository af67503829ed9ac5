import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InitBinaryError, initBinary, probeBinary } from '../src/binary.ts'

describe('the init binary', () => {
  it('is small, and named by its hash', async () => {
    const { path, bytes, sha256 } = await initBinary()
    expect(bytes.byteLength).toBeLessThan(1024 * 1024)
    expect(sha256).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'))
  })

  it('comes with a probe that does nothing without the name of an attack', async () => {
    const { path, bytes } = await probeBinary()
    expect(bytes.byteLength).toBeLessThan(1024 * 1024)
    expect(() => execFileSync(path, [], { stdio: 'pipe' })).toThrow('usage: probe')
  })

  it('is refused for an architecture without a build', async () => {
    await expect(initBinary('toString')).rejects.toThrow('init is built for x64 and arm64, got toString')
  })

  it('is reported as missing with the command that builds it', async () => {
    const other = process.arch === 'arm64' ? 'x64' : 'arm64'
    const error = await initBinary(other).catch((thrown: unknown) => thrown)
    // A machine that builds releases has both architectures.
    if (error instanceof Error) {
      expect(error).toBeInstanceOf(InitBinaryError)
      expect(error.message).toContain('packages/init/Dockerfile')
    }
  })

  it('installs itself whole and unreadable, in place of an older one', async (context) => {
    context.skip(process.platform !== 'linux', 'init runs on Linux only')

    const { path, sha256 } = await initBinary()
    const folder = mkdtempSync(join(tmpdir(), 'isopod-install-'))
    const target = join(folder, 'init')
    for (let turn = 0; turn < 2; turn++) execFileSync(path, ['install', target])
    expect(createHash('sha256').update(readFileSync(target)).digest('hex')).toBe(sha256)
    expect(statSync(target).mode & 0o777).toBe(0o111)
    expect(statSync(folder).mode & 0o777).toBe(0o711)
    expect(execFileSync(target, ['version'], { encoding: 'utf8' })).toBe('isopod-init 1\n')
    expect(() => execFileSync(path, ['install', join(folder, 'no', 'init')], { stdio: 'pipe' })).toThrow(
      'No such file',
    )
    rmSync(folder, { recursive: true })
  })

  it('does nothing outside a container', async (context) => {
    context.skip(process.platform !== 'linux', 'init runs on Linux only')

    const { path } = await initBinary()
    expect(() => execFileSync(path, [], { stdio: 'pipe' })).toThrow('usage: init')
  })
})
