import type { Execution } from '../contract/execution.ts'
import type { PreloadPlan } from '../driver/preload.ts'
import { argvOf, environment } from '../program/environment.ts'
import { layoutBytes } from '../program/workspace.ts'

const MIB = 1024 * 1024
/** Memory of an interpreter, and of each imported library. */
const INTERPRETER_MB = 12
const MODULE_MB = 30
/** Memory that must be left for the program, in MiB. */
const MIN_ROOM_MB = 16

/** Memory of a waiting interpreter, in MiB; a generous estimate. */
export function interpreterMb(modules: readonly string[]): number {
  return INTERPRETER_MB + MODULE_MB * modules.length
}

/**
 * Plans the start of an execution's interpreter ahead, so that its program cannot notice.
 *
 * @returns undefined if the execution does not ask for it, its language has no preload, or the interpreter depends on the
 *   execution
 */
export function preloadPlan(execution: Execution): PreloadPlan | undefined {
  const { language, files = {}, limits, inputData, sharedBy, runs, env = {}, library } = execution
  const { preload } = language
  if (!execution.preload || preload === undefined || inputData !== undefined) return undefined
  if (preload.unless_files.some((name) => Object.hasOwn(files, name))) return undefined
  // The interpreter keeps the arguments and the environment that it started with.
  const starts = runs ?? [execution]
  if (starts.some((one) => (one.args?.length ?? 0) > 0 || one.limits.cpus !== limits.cpus)) return undefined
  if (Object.keys(env).length > 0) return undefined
  const forks = sharedBy !== undefined || runs !== undefined
  // A container of a batch or of many runs serves several programs; an interpreter that cannot fork serves only one.
  const minOf = (name: 'memoryMb' | 'processes') =>
    Math.min(limits[name], ...(runs ?? []).map((one) => one.limits[name]))
  if (forks && (!preload.forks || minOf('processes') < 2)) return undefined

  // Only a start-up hook can set that limit in a process that already runs.
  const byPipe = Object.keys(preload.files).length === 0
  if (byPipe && limits.cpuSeconds !== null) return undefined

  const modules = named(preload.modules, execution)
  // The interpreter must leave room for the program's files and its own work.
  const needed = interpreterMb(modules) + Math.ceil(layoutBytes(execution) / MIB) + MIN_ROOM_MB
  if (minOf('memoryMb') < needed) return undefined
  const fill = (text: string) =>
    text
      .replaceAll('{control}', String(limits.openFiles - 1))
      .replaceAll('{modules}', JSON.stringify(modules))
      .replaceAll('{forks}', forks ? '1' : '0')
  const hook = Object.entries(preload.files).map(([path, text]) => [path, fill(text)] as const)
  return {
    argv: argvOf(language.command, language),
    env: environment({ language, limits, inputData: undefined }, { proxy: false }),
    files: Object.fromEntries(hook),
    library,
    mainFile: byPipe ? language.filename : undefined,
    modules,
    forks,
  }
}

/** The modules up to the last one whose name is a word in the program or its files. */
function named(modules: readonly string[], { code, files = {} }: Execution): readonly string[] {
  const texts = [
    code,
    ...Object.values(files).map(({ content, encoding }) => (encoding === 'utf8' ? content : '')),
  ]
  const last = modules.findLastIndex((name) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
  return modules.slice(0, last + 1)
}
