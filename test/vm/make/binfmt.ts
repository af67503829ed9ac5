import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { runCommand, tryCommand } from '@isopod/devstack'

const FOLDER = '/proc/sys/fs/binfmt_misc'
const NAME = 'qemu-aarch64'
/** The first bytes of an arm64 program, and which of their bits count. */
const MAGIC = '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00'
const MASK =
  '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff'
/** `F`: the kernel opens the emulator now, so that it is there in every root directory. */
const RULE = `:${NAME}:M::${MAGIC}:${MASK}:/usr/bin/qemu-aarch64-static:F`

/** Registers the emulator for arm64 programs with the kernel. Resolves with a function that removes it. */
export async function registerArm64(): Promise<() => Promise<void>> {
  const mounts = !existsSync(`${FOLDER}/register`)
  if (mounts) await runCommand(['mount', '-t', 'binfmt_misc', 'binfmt_misc', FOLDER])
  const registers = !existsSync(`${FOLDER}/${NAME}`)
  if (registers) await writeFile(`${FOLDER}/register`, RULE)
  return async () => {
    if (registers) await writeFile(`${FOLDER}/${NAME}`, '-1')
    if (mounts) await tryCommand(['umount', FOLDER])
  }
}
