import { randomBytes } from 'node:crypto'
import { UnavailableError } from '@isopod/protocol'
import { isContained, openDockerSandbox } from '@isopod/sandbox'
import { readConfig } from './config.ts'
import { loadCatalogue } from './document/load-catalogue.ts'

/**
 * `main.js self-test`: attacks containers as a worker does at its start, with a worker's settings but without a Redis.
 * Prints one JSON object a line for each canary as it is judged (`probe`, `tries`, `verdict`, `detail`, `ms`), and a last
 * one with `contained` and `ms`. Sets exit code 1 when a canary did not hold.
 *
 * @throws {UnavailableError} if there is no engine, or none of the catalogue's images on it
 */
export async function selfTestCommand(
  env: Readonly<Record<string, string | undefined>>,
  out: NodeJS.WritableStream,
): Promise<void> {
  const config = readConfig(env)
  const { languages } = await loadCatalogue(config.catalogueFile)
  const sandbox = await openDockerSandbox({
    ...config.engine,
    // No worker reaps containers of a deployment that is not its own.
    deployment: `self-test-${randomBytes(6).toString('hex')}`,
    owner: config.workerId,
    users: config.users,
    ...(config.engine.stack !== undefined && { labels: { 'isopod.stack': config.engine.stack } }),
  })
  const interrupt = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => interrupt.abort(new UnavailableError('interrupted')))
  }
  try {
    const images = [...new Set(languages.map(({ image }) => image))]
    const missing = await sandbox.missingImages(images)
    const image = images.find((candidate) => !missing.includes(candidate))
    if (image === undefined) {
      throw new UnavailableError(`no image of the catalogue is on this engine: ${images.join(', ')}`)
    }
    const report = await sandbox.selfTest(image, {
      signal: interrupt.signal,
      onFinding: (finding) => out.write(`${JSON.stringify(finding)}\n`),
    })
    const contained = isContained(report)
    out.write(`${JSON.stringify({ contained, ms: report.ms })}\n`)
    if (!contained) process.exitCode = 1
  } finally {
    await sandbox.close()
  }
}
