import { IMAGES } from '@isopod/devstack'
import type { Engine } from '../engine.ts'
import { NAMES } from '../names.ts'
import { FROM_STDIN } from './commands.ts'
import { type Contender, type Program, wholeOf } from './contender.ts'
import { type LanesTrial, laned } from './laned.ts'
import { runProcess } from './spawned.ts'

/** `docker run --rm` as in a shell script, with all of Isopod's hardening flags that the command supports. */
export function dockerRun(engine: Engine, trial: LanesTrial): Contender {
  return laned(
    NAMES.dockerRun,
    async (program) => {
      const run = () => runProcess(words(engine, program), wholeOf(program), engine.cliEnv)
      return { stdout: await engine.once(run) }
    },
    trial,
  )
}

function words(engine: Engine, { language }: Program): [string, ...string[]] {
  const { limits } = engine
  const tmpfs = (path: string, mib: number) => [
    '--tmpfs',
    `${path}:rw,nosuid,nodev,exec,size=${mib}m,uid=65534,gid=65534,mode=0700`,
  ]
  return [
    engine.cli,
    'run',
    '--rm',
    '--interactive',
    ...['--label', engine.label, '--network', 'none', '--read-only', '--ipc', 'none', '--log-driver', 'none'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--user', '65534:65534'],
    ...['--memory', `${limits.memoryMb}m`, '--memory-swap', `${limits.memoryMb}m`],
    ...['--cpus', String(limits.cpus), '--pids-limit', String(limits.processes + 1)],
    ...['--ulimit', 'core=0', '--ulimit', `nofile=${limits.openFiles}`],
    ...tmpfs('/workspace', (limits.diskMb * 3) / 4),
    ...tmpfs('/tmp', limits.diskMb / 4),
    ...['--workdir', '/workspace', IMAGES[language], ...FROM_STDIN[language]],
  ]
}
