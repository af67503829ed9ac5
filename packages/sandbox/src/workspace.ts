import { encodePutFile } from '@isopod/init'
import { fileBytes, type JobFile, utf8Bytes } from '@isopod/protocol'
import type { Execution } from './sandbox.ts'

/** Where the program's files are, and its current directory. */
export const WORKSPACE = '/workspace'
/** The JSON of `inputData`, beside the program. */
export const INPUT_FILE = 'input.json'

const FILE_MODE = 0o644
const MIB = 1024 * 1024
/** A file in a tmpfs takes whole pages. */
const PAGE = 4096

/** Room of the workspace in bytes; the rest of `diskMb` is /tmp's. */
export function workspaceBytes(diskMb: number): number {
  return diskMb * MIB - tmpBytes(diskMb)
}

/** Room of /tmp in bytes: a quarter of `diskMb`. */
export function tmpBytes(diskMb: number): number {
  return (diskMb * MIB) / 4
}

/**
 * What is wrong with the files of an execution beside what the protocol checks: names that the program or its input
 * take, and sizes beyond the workspace's room.
 *
 * @returns one sentence per problem; empty when the execution can be laid out
 */
export function workspaceProblems(execution: Execution): string[] {
  const { code, files = {}, inputData, language, limits } = execution
  const taken = [language.filename, ...(inputData === undefined ? [] : [INPUT_FILE])]
  const problems = Object.keys(files)
    .filter((path) => taken.includes(path.split('/', 1)[0] ?? ''))
    .map((path) => `files.${path}: this name is taken by the program or its input (${taken.join(', ')})`)
  const sizes = [utf8Bytes(code), ...Object.values(files).map(fileBytes)]
  const bytes = sizes.reduce((sum, size) => sum + Math.ceil(size / PAGE) * PAGE, 0)
  const room = workspaceBytes(limits.diskMb)
  if (bytes > room) {
    problems.push(`limits.diskMb: code and files are ${bytes} bytes, the workspace has ${room}`)
  }
  return problems
}

/** The frames that lay the program, its files and its input in the workspace. */
export function workspaceFrames(execution: Execution): Uint8Array[] {
  const put = (path: string, content: Uint8Array) => encodePutFile(path, content, FILE_MODE)
  const frames = Object.entries(execution.files ?? {}).map(([path, file]) => put(path, decode(file)))
  if (execution.inputData !== undefined) {
    frames.push(put(INPUT_FILE, Buffer.from(JSON.stringify(execution.inputData))))
    for (const [path, text] of Object.entries(execution.language.input_hook?.files ?? {})) {
      frames.push(put(path, Buffer.from(text)))
    }
  }
  frames.push(put(execution.language.filename, Buffer.from(execution.code)))
  return frames
}

function decode(file: JobFile): Uint8Array {
  return Buffer.from(file.content, file.encoding)
}
