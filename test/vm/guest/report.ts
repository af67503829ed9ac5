import { openSync, writeSync } from 'node:fs'
import type { GuestEvent } from '../protocol.ts'

/** The port that the host reads. Only one process at a time can open it. */
const PORT = '/dev/virtio-ports/isopod'
/**
 * Variable with the descriptor through which a child reports to its parent. Without `ISOPOD_`, because workers refuse unknown
 * variables.
 */
export const DESCRIPTOR_VARIABLE = 'GUEST_REPORT_DESCRIPTOR'

let port: number | undefined

/** Sends one event to the host, as a whole line. */
export function report(event: GuestEvent): void {
  relay(JSON.stringify(event))
}

/** Passes on an encoded event. */
export function relay(event: string): void {
  const given = process.env[DESCRIPTOR_VARIABLE]
  port ??= given === undefined ? openSync(PORT, 'a') : Number(given)
  const line = Buffer.from(`${event}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(port, line, at)
}

/** Sends one line of text to the host. */
export function say(line: string): void {
  report({ event: 'log', line })
}
