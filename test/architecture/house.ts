/**
 * The arrows that the design allows: folder → packages of ours that it may import. A folder that is not here is not
 * part of the house yet, and that is a finding too.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
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
  // The queue itself only for bull-board, which shows it.
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
  // API keys and budgets lie in the Redis of the queue.
  'packages/access': ['protocol', 'queue'],
  // Both ways out of our processes, the proxy of networks and webhooks, check what they connect to.
  'packages/egress': [],
  // What the browser runs: of the protocol it takes types, and what has no dependencies.
  'packages/page': ['protocol'],
  'packages/webhooks': ['protocol', 'queue', 'egress'],
  'packages/service-kit': ['protocol', 'telemetry'],
  'packages/devstack': [],
}

/** Outside libraries that have an owner: name → the only folders whose files may import it. */
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
  // Input is parsed where it enters: jobs and results, environments, stored keys, and the requests of an app.
  zod: [
    'packages/protocol/src',
    'packages/service-kit/src',
    'packages/access/src',
    'apps/worker/src',
    'apps/gateway/src',
    'apps/mcp/src',
  ],
  // The documents of an operator, and the seccomp profiles that are written by hand.
  yaml: ['apps/worker/src/document', 'packages/sandbox/src/docker/seccomp'],
}

/** Folders outside every package; they may import any of ours, but not in circles. */
export const TOOLS: readonly string[] = ['scripts', 'test']

/** Folders of C; their includes are relative to the folder. */
export const C_SOURCES: readonly string[] = [
  'packages/init/native',
  'packages/init/fuzz',
  'packages/init/probe',
]

/** Where circles are still being mended. */
export const OPEN_CIRCLES: readonly string[] = ['packages/queue/src']

/** Longest source file, in lines. */
export const MAX_FILE_LINES = 280
