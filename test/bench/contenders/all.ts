import { seccompDecisions, seccompProfile } from '@isopod/sandbox'
import type { Book } from '../measure/book.ts'
import { untilWorkerIdle } from '../measure/scrape.ts'
import { NAMES } from '../names.ts'
import type { Stage } from '../stage.ts'
import type { Contender } from './contender.ts'
import { dockerLoop } from './docker-loop.ts'
import { dockerRun } from './docker-run.ts'
import { type IsopodContender, isopod, MODES, type Mode } from './isopod.ts'
import type { LanesTrial } from './laned.ts'
import { plainInterpreter } from './plain.ts'

/** Time without change after which a worker's pool counts as full, in milliseconds. */
const QUIET_MS = 300

/** All contenders that run programs. */
export interface ContenderSet {
  /** Contenders other than Isopod, by name. */
  readonly others: ReadonlyMap<string, Contender>
  /** Isopod in each of these modes (default: all), for one case. Jobs of one case and mode form a batch. */
  isopod(batch: string, modes?: readonly Mode[]): Promise<readonly IsopodContender[]>
}

/** Opens all contenders on a stage. Each is started only when it is first used. */
export async function openContenders(stage: Stage, book: Book, quick: boolean): Promise<ContenderSet> {
  const { engine } = stage
  const hello = { language: 'python', code: 'print("hello")' } as const
  const trial: LanesTrial = {
    candidates: quick ? [2, 4] : [1, 2, 3, 4, 6],
    programs: Array.from({ length: quick ? 6 : 24 }, () => hello),
    onBest: (name, lanes) =>
      book.note(`${name}: ${lanes} at once were its best of ${trial.candidates.join(', ')}.`),
  }
  const { Arch } = await engine.docker.version()
  const seccomp = JSON.stringify(seccompProfile(await seccompDecisions(), Arch === 'arm64' ? 'arm64' : 'x64'))
  const others: Contender[] = [
    dockerRun(engine, trial),
    dockerLoop(engine, { name: NAMES.loop }, trial),
    dockerLoop(engine, { name: NAMES.loopOurSeccomp, seccomp }, trial),
    plainInterpreter(engine, trial),
  ]
  if (engine.runtimes.includes('crun')) {
    others.push(dockerLoop(engine, { name: NAMES.loopCrun, runtime: 'crun' }, trial))
  }
  return {
    others: new Map(others.map((contender) => [contender.name, contender])),
    async isopod(batch, modes = MODES) {
      const contenders: IsopodContender[] = []
      for (const [index, mode] of modes.entries()) {
        const [client, { url, process }] = await Promise.all([
          stage.client(mode.worker),
          stage.worker(mode.worker),
        ])
        const settle = () => untilWorkerIdle(url, 0, QUIET_MS)
        contenders.push(
          isopod(client, mode, `${batch}-${index}`, { worker: { url, pid: process.pid }, settle }),
        )
      }
      return contenders
    },
  }
}
