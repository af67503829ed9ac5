import { encodePutFile, MAX_PUT_BYTES } from '@isopod/init'
import { fileBytes, type JobFile, utf8Bytes } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'
import { workspaceBytes, workspaceInodes } from '../driver/confinement.ts'

/** The JSON of `inputData`, beside the program. */
const INPUT_FILE = 'input.json'

/** Maximum size of one file of an execution, in bytes. */
export const MAX_FILE_BYTES = MAX_PUT_BYTES

const FILE_MODE = 0o644
const TOOL_MODE = 0o755
/** A file in a tmpfs takes whole pages. */
const PAGE = 4096

/**
 * Problems with the files of an execution that the protocol does not find: names that the program, its input or other files
 * take, and sizes and numbers that exceed the workspace.
 *
 * @returns one sentence per problem; empty when the execution can be laid out
 */
export function workspaceProblems(execution: Execution): string[] {
  const { files = {}, inputData, language, limits } = execution
  const taken = [language.filename, ...(inputData === undefined ? [] : [INPUT_FILE])]
  const paths = Object.keys(files)
  const problems = [
    ...paths
      .filter((path) => taken.includes(path.split('/', 1)[0] ?? ''))
      .map((path) => `files.${path}: this name is taken by the program or its input (${taken.join(', ')})`),
    ...paths
      .filter((path) => foldersOf(path).some((folder) => Object.hasOwn(files, folder)))
      .map((path) => `files.${path}: a part of its path is another file of this job`),
  ]
  const bytes = layoutBytes(execution)
  if (bytes > workspaceBytes(limits.diskMb)) {
    const room = workspaceBytes(limits.diskMb)
    problems.push(`limits.diskMb: code, files and input take ${bytes} bytes, the workspace has ${room}`)
  }
  const entries = new Set(layout(execution).flatMap(({ path }) => [path, ...foldersOf(path)]))
  if (entries.size >= workspaceInodes(limits.diskMb)) {
    const room = workspaceInodes(limits.diskMb)
    problems.push(
      `limits.diskMb: files and folders are ${entries.size}, the workspace has room for ${room - 1}`,
    )
  }
  return problems
}

/** Room that an execution's files take in the workspace, in bytes. */
export function layoutBytes(execution: Execution): number {
  return layout(execution).reduce((sum, { bytes }) => sum + Math.ceil(bytes / PAGE) * PAGE, 0)
}

/** Paths and sizes of everything that is laid out in the workspace. */
function layout(execution: Execution): { path: string; bytes: number }[] {
  const { code, library, codeWithLibrary, files = {}, inputData, language } = execution
  const own = Object.entries(files).map(([path, file]) => ({ path, bytes: fileBytes(file) }))
  own.push({
    path: language.filename,
    bytes: utf8Bytes(code) + (codeWithLibrary && library ? library.bytes : 0),
  })
  if (inputData === undefined) return own
  const hook = Object.entries(language.input_hook?.files ?? {})
  return [
    ...own,
    { path: INPUT_FILE, bytes: utf8Bytes(JSON.stringify(inputData)) },
    ...hook.map(([path, text]) => ({ path, bytes: utf8Bytes(text) })),
  ]
}

/** The folders above a path, outermost first: `a/b/c` → `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/**
 * The frames that lay out the program, its files and its input in the workspace.
 *
 * @param hasLibrary whether the interpreter that runs the program has loaded its library
 */
export function workspaceFrames(execution: Execution, hasLibrary = false): Uint8Array[] {
  const put = (path: string, content: Uint8Array) => encodePutFile(path, content, FILE_MODE)
  const frames = fileFrames(execution.files)
  if (execution.inputData !== undefined) {
    frames.push(put(INPUT_FILE, Buffer.from(JSON.stringify(execution.inputData))))
    for (const [path, text] of Object.entries(execution.language.input_hook?.files ?? {})) {
      frames.push(put(path, Buffer.from(text)))
    }
  }
  for (const [name, bytes] of Object.entries(execution.tools ?? {})) {
    frames.push(encodePutFile(name, bytes, TOOL_MODE))
  }
  const { codeWithLibrary = () => execution.code } = execution
  const code = hasLibrary ? execution.code : codeWithLibrary()
  frames.push(put(execution.language.filename, Buffer.from(code)))
  return frames
}

/** The frames that lay out files beside those of the program. */
export function fileFrames(files: Readonly<Record<string, JobFile>> = {}): Uint8Array[] {
  return Object.entries(files).map(([path, file]) => encodePutFile(path, decode(file), FILE_MODE))
}

function decode(file: JobFile): Uint8Array {
  return Buffer.from(file.content, file.encoding)
}
