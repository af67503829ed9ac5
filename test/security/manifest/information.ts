import type { Entry } from '../attack.ts'

/** The program was refused all that it tried, and ran to its end. */
const NORMAL_EXIT = { status: 'success', exitCode: 0 } as const

/** Attempts to learn something about the host, its worker or other jobs. */
export const INFORMATION: readonly Entry[] = [
  {
    program: 'worker-environment.py',
    tries: "find the worker's environment variables in its own ones, in /proc and in its memory",
    source: 'SandboxFusion: the environment of the host reached the program',
    must: NORMAL_EXIT,
    proof: ['secrets'],
  },
  {
    program: 'node-environment.js',
    tries: "find the worker's environment variables in Node's diagnostic reports",
    source: 'own',
    must: NORMAL_EXIT,
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
    tries: 'find other processes by stat and by signals to every process id',
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
    tries: 'open the paths of the host that the table of mounts shows',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['files', 'result'],
  },
  {
    program: 'writable-mounts.py',
    tries: 'write to a mount that should be read-only',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['files', 'result'],
  },
  {
    program: 'serial-numbers.sh',
    tries: 'read serial numbers and ids of the machine',
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
    tries: 'have a compiler message quote files that programs may not read',
    source: 'own',
    must: { status: 'compile_error' },
    proof: ['secrets'],
  },
  {
    program: 'memory-of-others.c',
    tries: 'find data of other processes in newly allocated memory',
    source: 'own',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'leftovers-of-jobs.sh',
    tries: 'find files and System V objects that other jobs left',
    source: 'Piston: box ids were used again while in use',
    must: { status: 'success', stdout: '' },
    proof: ['result'],
  },
  {
    program: 'disk-below-files.c',
    tries: 'learn on which disk of the host files lie, and at which blocks',
    source: 'own',
    must: { status: 'success', exitCode: 0 },
    proof: ['result'],
  },
]
