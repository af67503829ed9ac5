import { workerSettings } from './worker-settings.ts'

/** What one check of the process driver's host found. */
export interface HostFinding {
  /** What was checked, in one word. */
  readonly subject: string
  readonly isFine: boolean
  /** What was found, or what is missing and what to do about it. */
  readonly text: string
}

/** Makes the checks without which a worker of this environment would not start with the process driver. Changes nothing. */
export async function checkProcessHost(env: NodeJS.ProcessEnv = process.env): Promise<HostFinding[]> {
  const { HOST_CHECKS } = await import('@isopod/sandbox')
  const state = workerSettings(undefined, env)['ISOPOD_SANDBOX_STATE_DIR'] ?? ''
  const findings: HostFinding[] = []
  for (const { subject, run } of HOST_CHECKS) {
    try {
      findings.push({ subject, isFine: true, text: await run({ state }) })
    } catch (error) {
      findings.push({ subject, isFine: false, text: error instanceof Error ? error.message : String(error) })
    }
  }
  return findings
}
