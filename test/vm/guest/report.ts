import { openSync, writeSync } from 'node:fs'
import type { GuestEvent } from '../protocol.ts'

/** The port that the host reads from. Only one process at a time may have it open. */
const PORT = '/dev/virtio-ports/isopod'
/** Set for a child that reports through its parent: number of the descriptor. No `ISOPOD_`: workers refuse unknown ones. */
export const DESCRIPTOR_VARIABLE = 'GUEST_REPORT_DESCRIPTOR'

let port: number | undefined

/** Tells the host something: one line, whole. */
export function report(event: GuestEvent): void {
  relay(JSON.stringify(event))
}

/** Hands on a line that is an event already. */
export function relay(event: string): void {
  const given = process.env[DESCRIPTOR_VARIABLE]
  port ??= given === undefined ? openSync(PORT, 'a') : Number(given)
  const line = Buffer.from(`${event}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(port, line, at)
}

/** Tells the host one line for people. */
export function say(line: string): void {
  report({ event: 'say', line })
}
