import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ARCHIVE = fileURLToPath(new URL('../../fuzz/corpus.tar.gz', import.meta.url))

/** Unpacks the corpus into a folder, each input under the SHA-1 of its bytes, as libFuzzer names it. */
export function unpackCorpus(folder: string): void {
  run('tar', ['-xzf', ARCHIVE, '-C', folder])
}

/** Makes the inputs in a folder the corpus. The same inputs give the same archive, whatever their dates and owners. */
export function packCorpus(folder: string): void {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=644', '--mtime=@0']
  const names = readdirSync(folder).sort()
  run('tar', ['-I', 'gzip -9n', ...owner, '-cf', ARCHIVE, '-C', folder, ...names])
}

/** Copies one input into an unpacked corpus. */
export function addInput(folder: string, file: string): void {
  copyFileSync(file, join(folder, createHash('sha1').update(readFileSync(file)).digest('hex')))
}

function run(command: string, words: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, words)
  if (error) throw error
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
}
