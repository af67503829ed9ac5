/** Folder → packages of this repository that it may import. A package or app that is not listed is a finding. */
export const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  'apps/worker': [
    'protocol',
    'queue',
    'egress',
    'sandbox',
    'policy',
    'languages',
    'judging',
    'telemetry',
    'service-kit',
  ],
  // Imports the queue directly only for bull-board, which shows it.
  'apps/gateway': ['protocol', 'access', 'client', 'page', 'queue', 'webhooks', 'telemetry', 'service-kit'],
  'apps/mcp': ['protocol', 'client', 'telemetry', 'service-kit'],
  'apps/cli': ['protocol', 'access', 'client', 'webhooks', 'grading', 'devstack', 'service-kit'],
  'packages/protocol': [],
  'packages/queue': ['protocol'],
  'packages/client': ['protocol', 'queue'],
  'packages/sandbox': ['protocol', 'init'],
  'packages/init': [],
  'packages/languages': ['protocol'],
  'packages/policy': ['protocol', 'threads'],
  'packages/threads': [],
  'packages/grading': ['protocol'],
  'packages/judging': ['grading', 'protocol', 'sandbox', 'threads'],
  'packages/telemetry': [],
  // API keys and budgets are stored in the Redis of the queue.
  'packages/access': ['protocol', 'queue'],
  // Checks the targets of outgoing connections, for the proxy of network profiles and for webhooks.
  'packages/egress': [],
  // Runs in a browser, so it uses only types and dependency-free code of the protocol.
  'packages/page': ['protocol'],
  'packages/webhooks': ['protocol', 'queue', 'egress'],
  'packages/service-kit': ['protocol', 'telemetry'],
  // For the roots of the process driver, whose layout the sandbox decides.
  'packages/devstack': ['sandbox'],
}

/** Libraries that only some folders may import: name → their owners. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  bullmq: ['packages/queue/src'],
  ioredis: ['packages/queue/src'],
  dockerode: ['packages/sandbox/src/docker'],
  '@vscode/tree-sitter-wasm': ['packages/policy/src'],
  piscina: ['packages/threads/src'],
  'p-queue': ['packages/threads/src'],
  re2js: ['packages/grading/src'],
  pino: ['packages/telemetry/src'],
  'prom-client': ['packages/telemetry/src'],
  fastify: ['apps/gateway/src'],
  '@modelcontextprotocol/sdk': ['apps/mcp/src'],
  'rate-limiter-flexible': ['packages/access/src'],
  execa: ['packages/devstack/src'],
  commander: ['apps/cli/src'],
  'cli-table3': ['apps/cli/src'],
  'cli-progress': ['apps/cli/src'],
  // Input is parsed at each boundary: jobs and results, environment variables, stored keys, seccomp profiles, and requests to
  // an app.
  zod: [
    'packages/protocol/src',
    'packages/sandbox/src/seccomp',
    'packages/service-kit/src',
    'packages/access/src',
    'apps/worker/src',
    'apps/gateway/src',
    'apps/mcp/src',
  ],
  // YAML is the format of the operator's configuration files and of the seccomp profiles.
  yaml: ['apps/worker/src/document', 'packages/sandbox/src/seccomp'],
}

/** Folders outside of packages and apps. They may import every package, but not in cycles. */
export const TOOLS: readonly string[] = ['scripts', 'test']

/** Folders with C sources, whose includes are relative to the folder. */
export const C_SOURCES: readonly string[] = [
  'packages/init/native',
  'packages/init/fuzz',
  'packages/init/probe',
  'packages/init/spawner',
]

/** Maximum length of a source file, in lines. */
export const MAX_FILE_LINES = 280
