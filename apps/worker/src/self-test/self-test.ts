import type { Catalogue } from '@isopod/languages'
import { chooseRuntime, ISOLATIONS, type Isolation, RUNTIMES, UnavailableError } from '@isopod/protocol'
import type { DriverFacts, ProbeFinding, Sandbox, SelfTestReport } from '@isopod/sandbox'

/** What the self-test tests. */
export interface SelfTestSubject {
  readonly catalogue: Pick<Catalogue, 'languages'>
  readonly sandbox: Pick<Sandbox, 'selfTest' | 'missingImages'> & {
    readonly facts: Pick<DriverFacts, 'runtimes' | 'defaultRuntime'>
  }
  /** Minimum isolation that a job may choose. @default that of the default runtime */
  readonly minimumIsolation?: Isolation | undefined
}

/**
 * Runs the probes in containers like those of jobs, of an image of the catalogue, under every runtime that a job can get.
 *
 * @throws {UnavailableError} if none of the catalogue's images is on the engine, or the signal's reason once aborted
 */
export async function selfTestRuntimes(
  subject: SelfTestSubject,
  options: { readonly signal: AbortSignal; readonly onFinding?: (finding: ProbeFinding) => void },
): Promise<SelfTestReport> {
  const reports: SelfTestReport[] = []
  for (const runtime of reachableRuntimes(subject)) {
    const image = await anyImage(subject, runtime)
    reports.push(await subject.sandbox.selfTest(image, { ...options, runtime }))
  }
  return {
    findings: reports.flatMap(({ findings }) => findings),
    ms: reports.reduce((sum, { ms }) => sum + ms, 0),
  }
}

/** What a job can request of its isolation. */
const WISHES = [
  {},
  ...RUNTIMES.map((runtime) => ({ runtime })),
  ...ISOLATIONS.map((isolation) => ({ isolation })),
]

/** Runtimes that a job can get: the deployment's, those of languages, and those that jobs may choose. */
export function reachableRuntimes({
  catalogue,
  sandbox,
  minimumIsolation: minimum,
}: SelfTestSubject): string[] {
  const { runtimes: offered, defaultRuntime: deployment } = sandbox.facts
  const reached = [{ runtime: undefined }, ...catalogue.languages].flatMap(({ runtime: language }) =>
    WISHES.map((job) => chooseRuntime({ job, language, deployment, minimum, offered })),
  )
  const names = reached.flatMap((choice) => ('runtime' in choice ? [choice.runtime] : []))
  return [...new Set(names)].filter((name) => offered.includes(name))
}

async function anyImage({ catalogue, sandbox }: SelfTestSubject, runtime: string): Promise<string> {
  const images = [...new Set(catalogue.languages.map(({ image }) => image))]
  const missing = await sandbox.missingImages(images, runtime)
  const image = images.find((candidate) => !missing.includes(candidate))
  if (image !== undefined) return image
  throw new UnavailableError(`no image of the catalogue is here for ${runtime}: ${images.join(', ')}`)
}
