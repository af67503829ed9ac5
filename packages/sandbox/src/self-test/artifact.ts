import { encodeFetch } from '@isopod/init'
import { RetryableError } from '@isopod/protocol'
import type { Container } from '../driver/container.ts'
import { checkConfinement, type RunContext } from '../execution/run-execution.ts'
import { programRun } from '../program/classified-run.ts'
import { runProgram } from '../program/run-program.ts'
import { workspaceFrames } from '../program/workspace.ts'
import type { Honeypot } from './honeypot.ts'
import { type ProbeKit, probeExecution } from './probe-execution.ts'

/** What the probe plants: each path leads a careless host out of the workspace, or blocks it. */
const PLANTED = [
  'link',
  'status',
  'folder/status',
  'pipe',
  'hard',
  'deep/root/proc/1/status',
  'deep',
  '../proc/1/status',
]
const MAX_BYTES = 1024 * 1024
const ANSWER_MS = 5_000

/** The probe that asks for files after its program has ended. */
export const ARTIFACT = {
  id: 'artifact',
  tries: 'to have the host follow a link, pipe or path that it planted',
} as const

/** Runs the probe that plants, then asks init for each of its files as for an artifact. */
export async function tryArtifact(
  kit: ProbeKit,
  context: RunContext,
  honeypot: Honeypot,
  signal: AbortSignal,
): Promise<{ verdict: 'held' | 'succeeded' | 'untried'; detail: string }> {
  const execution = probeExecution(kit, ARTIFACT.id, [honeypot.file])
  const container = await context.containers.acquire(execution, signal)
  try {
    checkConfinement(container, execution)
    const before = workspaceFrames(execution)
    const program = programRun(execution, execution.language.command, { proxy: false })
    const { done } = await runProgram(container, program, { before, signal })
    if (done?.exitCode !== 0) return { verdict: 'untried', detail: 'the probe planted nothing' }
    for (const path of PLANTED) {
      const { status } = await fetchFile(container, path, signal)
      if (status === 0) return { verdict: 'succeeded', detail: `${path} was followed` }
    }
    // The refusals prove something only if an honest file comes back.
    const honest = await fetchFile(container, 'honest', signal)
    if (Buffer.from(honest.content).toString() === 'honest\n') return { verdict: 'held', detail: '' }
    return { verdict: 'untried', detail: `an honest file did not come back (errno ${honest.status})` }
  } finally {
    container.destroy()
  }
}

async function fetchFile(
  container: Container,
  path: string,
  signal: AbortSignal,
): Promise<{ status: number; content: Uint8Array }> {
  const timeout = setTimeout(() => container.destroy(), ANSWER_MS)
  try {
    container.send(encodeFetch(path, MAX_BYTES))
    for (let frame = await container.receive(); frame; frame = await container.receive()) {
      if (frame.type === 'file') return frame
    }
    signal.throwIfAborted()
    throw new RetryableError(`init did not answer when it was asked for ${path}`)
  } finally {
    clearTimeout(timeout)
  }
}
