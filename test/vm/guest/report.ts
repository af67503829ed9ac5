import { openSync, writeSync } from 'node:fs'
import type { GuestEvent } from '../protocol.ts'

/** The port that the host reads from; its name comes with the machine. */
const PORT = process.env['ISOPOD_GUEST_PORT'] ?? '/dev/virtio-ports/isopod'
let port: number | undefined

/** Tells the host something: one line, whole. */
export function report(event: GuestEvent): void {
  port ??= openSync(PORT, 'a')
  const line = Buffer.from(`${JSON.stringify(event)}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(port, line, at)
}

/** Tells the host one line for people. */
export function say(line: string): void {
  report({ event: 'say', line })
}
