import type { Entry } from '../attack.ts'

const IN_VAIN = { status: 'success', exitCode: 0 } as const

/** Things to learn about the host, its worker and other jobs. */
export const INFORMATION: readonly Entry[] = [
  {
    program: 'worker-environment.py',
    tries: "find the worker's environment in its own, in /proc and in its memory",
    source: 'SandboxFusion: the environment of the host reached the program',
    must: IN_VAIN,
    proof: ['secrets'],
  },
  {
    program: 'node-environment.js',
    tries: "find the worker's environment through Node's own reports",
    source: 'own',
    must: IN_VAIN,
    proof: ['secrets'],
  },
  {
    program: 'name-of-the-host.js',
    tries: 'learn the name of the host',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'processes-of-others.c',
    tries: 'count processes by number, by name and by signal',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['result', 'victim'],
  },
  {
    program: 'kernel-keys.c',
    tries: "plant a key in the kernel's keyrings and read what is there",
    source: 'isolate 2.5 (keyctl)',
    must: { status: 'success', stdout: '' },
    proof: ['objects', 'result'],
  },
  {
    program: 'mounts.sh',
    tries: 'follow the paths of the host in the table of mounts',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['files', 'result'],
  },
  {
    program: 'writable-mounts.py',
    tries: 'find a mount that may be written',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['files', 'result'],
  },
  {
    program: 'serial-numbers.sh',
    tries: 'read what tells this machine from others',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'network-of-the-host.py',
    tries: 'read interfaces, routes and sockets of the host',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['network', 'result'],
  },
  {
    program: 'metadata-of-the-cloud.py',
    tries: "ask the cloud's metadata service for credentials",
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'include-files-of-the-host.c',
    tries: 'have the compiler quote files that programs may not read',
    source: 'own',
    must: { status: 'compile_error' },
    proof: ['secrets'],
  },
  {
    program: 'memory-of-others.c',
    tries: 'find what others left in fresh memory',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'leftovers-of-jobs.sh',
    tries: 'find what other jobs left in files and System V objects',
    source: 'Piston: box ids were used again while in use',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'disk-below-files.c',
    tries: 'ask files which disk of the host they lie on, and where',
    source: 'own',
    must: { status: 'success', exitCode: 0 },
    proof: ['result'],
  },
]
