import { open, writeFile } from 'node:fs/promises'

const EVERY_MS = 300
/** Control sequences of firmware and services. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out
const CONTROLS = /\x1b\[[0-9;?!]*[A-Za-z]/g

/** Copies a growing file to stderr. Resolves with a function that stops it. */
export async function followConsole(path: string): Promise<() => void> {
  await writeFile(path, '')
  let at = 0
  const copy = async () => {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const { buffer, bytesRead } = await file.read({
        buffer: Buffer.alloc(Math.max(0, size - at)),
        position: at,
      })
      at += bytesRead
      process.stderr.write(buffer.subarray(0, bytesRead).toString().replace(CONTROLS, ''))
    } finally {
      await file.close()
    }
  }
  let copying = Promise.resolve()
  const next = () => {
    copying = copying.then(copy).catch(() => undefined)
  }
  const timer = setInterval(next, EVERY_MS)
  return () => {
    clearInterval(timer)
    next()
  }
}
