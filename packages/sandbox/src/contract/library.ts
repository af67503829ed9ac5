import { createHash } from 'node:crypto'
import { utf8Bytes } from '@isopod/protocol'

/** Source text that an interpreter loads when it starts ahead. */
export interface Library {
  /** The text as a JSON string. */
  readonly json: string
  /** Size of the JSON string. */
  readonly bytes: number
  /** Digest of the text, which stands for it in the key of a kind of containers. */
  toJSON(): string
}

/** Prepares a library once for all executions that load it: its text is large. */
export function makeLibrary(text: string): Library {
  const json = JSON.stringify(text)
  const digest = createHash('sha256').update(text).digest('hex')
  return { json, bytes: utf8Bytes(json), toJSON: () => digest }
}
