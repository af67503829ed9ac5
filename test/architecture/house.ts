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

/** Outside libraries that have one owner: name → the only folder whose files may import it. */
export const OWNERS: Readonly<Record<string, string>> = {
  bullmq: 'packages/queue/src',
  ioredis: 'packages/queue/src',
  dockerode: 'packages/sandbox/src/docker',
  '@vscode/tree-sitter-wasm': 'packages/policy/src',
  re2js: 'packages/grading/src',
  pino: 'packages/telemetry/src',
  'prom-client': 'packages/telemetry/src',
  fastify: 'apps/gateway/src',
  '@modelcontextprotocol/sdk': 'apps/mcp/src',
  'rate-limiter-flexible': 'packages/access/src',
}

/** Longest source file, in lines. */
export const LONGEST_FILE = 280
