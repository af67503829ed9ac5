import type { Declare } from './declare.ts'

interface Entry {
  /** Its line in the list of commands. */
  readonly summary: string
  /** Loads its declaration. */
  readonly load: () => Promise<Declare>
}

/** All commands, in the order of the help. Help and completion follow from their declarations. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  run: {
    summary: 'run one program; show its output and how it ended',
    load: async () => (await import('./jobs.ts')).declareRun,
  },
  submit: {
    summary: 'enqueue programs and print their ids',
    load: async () => (await import('./jobs.ts')).declareSubmit,
  },
  result: {
    summary: 'show the stored result of one job',
    load: async () => (await import('./results.ts')).declareResult,
  },
  results: {
    summary: 'print results and remove them from their queue; list and redeliver dead ones',
    load: async () => (await import('./results.ts')).declareResults,
  },
  cancel: {
    summary: 'end jobs that wait or run: one, or all of a batch, label or results queue',
    load: async () => (await import('./queued-jobs.ts')).declareCancel,
  },
  jobs: {
    summary: 'list the jobs that run and wait',
    load: async () => (await import('./queued-jobs.ts')).declareJobs,
  },
  grade: {
    summary: 'judge samples of a data set’s problems',
    load: async () => (await import('./grade.ts')).declareGrade,
  },
  languages: {
    summary: 'list the languages that workers offer',
    load: async () => (await import('./stack.ts')).declareLanguages,
  },
  mcp: {
    summary: 'serve execute_code and other tools to an MCP client',
    load: async () => (await import('./stack.ts')).declareMcp,
  },
  keys: {
    summary: 'create, list and revoke the API keys of the gateway',
    load: async () => (await import('./keys.ts')).declareKeys,
  },
  webhooks: {
    summary: 'list and redeliver webhooks, print and rotate their secret',
    load: async () => (await import('./webhooks.ts')).declareWebhooks,
  },
  quarantine: {
    summary: 'list what other programs damaged in the queue',
    load: async () => (await import('./quarantine.ts')).declareQuarantine,
  },
  roots: {
    summary: 'list, make and verify the roots of the process driver',
    load: async () => (await import('./roots.ts')).declareRoots,
  },
  demo: {
    summary: 'run good and hostile jobs, and check each result',
    load: async () => (await import('./stack.ts')).declareDemo,
  },
  up: {
    summary: 'start Redis, engine, workers and the HTTP API, until Ctrl-C',
    load: async () => (await import('./stack.ts')).declareUp,
  },
  down: {
    summary: 'stop and remove what this checkout has started',
    load: async () => (await import('./stack.ts')).declareDown,
  },
  doctor: {
    summary: 'check each part of the stack',
    load: async () => (await import('./stack.ts')).declareDoctor,
  },
  completion: {
    summary: 'print the completion script of your shell',
    load: async () => (await import('./stack.ts')).declareCompletion,
  },
}
