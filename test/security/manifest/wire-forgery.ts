import type { Entry } from '../attack.ts'

const failed = (exitCode: number) => ({ status: 'execution_error', exitCode }) as const

/** Forged messages of init or of the host. Each program ends with its own exit code, which the result must report. */
export const WIRE_FORGERIES: readonly Entry[] = [
  {
    program: 'done-on-every-descriptor.py',
    tries: "write init's last frame to every descriptor, its own and init's",
    source: 'own',
    must: failed(31),
    proof: ['result'],
  },
  {
    program: 'done-byte-by-byte.c',
    tries: 'write frames of every type byte by byte over both streams',
    source: 'own',
    must: failed(32),
    proof: ['result'],
  },
  {
    program: 'half-a-frame.js',
    tries: 'write frame headers that announce payloads of many lengths, and no payload',
    source: 'own',
    must: failed(33),
    proof: ['result', 'worker'],
  },
  {
    program: 'headers-of-the-engine.py',
    tries: "write headers of the engine's stream format",
    source: 'own',
    must: failed(34),
    proof: ['result', 'worker'],
  },
  {
    program: 'frames-over-both-streams.sh',
    tries: 'split frames between stdout and stderr',
    source: 'own',
    must: failed(35),
    proof: ['result'],
  },
  {
    program: 'write-to-init.sh',
    tries: "open init's descriptors through /proc",
    source: 'own',
    must: failed(36),
    proof: ['result'],
  },
  {
    program: 'trace-init.c',
    tries: "change init's memory",
    source: 'own',
    must: failed(37),
    proof: ['result', 'containment'],
  },
  {
    program: 'take-descriptors-of-init.c',
    tries: "copy init's descriptors, through which it talks with the host",
    source: 'own',
    must: failed(38),
    proof: ['result', 'containment'],
  },
  {
    program: 'limits-for-init.py',
    tries: 'lower the limits and the priority of init',
    source: 'own',
    must: failed(39),
    proof: ['result', 'victim'],
  },
  {
    program: 'signals-for-init.py',
    tries: 'send init a hundred thousand signals of all kinds, or as many as eight seconds allow',
    source: 'own',
    // The last signal of each round goes to the program as well, which ignores it.
    // Four hundred thousand calls are slow under gVisor, so the timeout can come first; its own signals never end the program.
    must: { runc: failed(40), runsc: { status: ['execution_error', 'timeout'] } },
    proof: ['result', 'victim'],
  },
  {
    program: 'type-into-a-terminal.c',
    tries: 'type into a terminal that another process reads',
    source: 'CVE-2017-5226 and its kind',
    must: failed(41),
    proof: ['result'],
  },
  {
    program: 'close-everything.js',
    tries: 'close its streams and open other files under their numbers',
    source: 'own',
    must: failed(42),
    proof: ['result'],
  },
  {
    program: 'orphans-with-other-codes.c',
    tries: 'have init report the exit code of an orphan as the program’s',
    source: 'own',
    must: failed(43),
    proof: ['result'],
  },
  {
    program: 'end-of-the-first-thread.c',
    tries: 'end its first thread long before the process ends',
    source: 'own',
    must: failed(44),
    proof: ['result'],
  },
  {
    program: 'become-another-program.sh',
    tries: 'replace itself by other programs, the last one named like init',
    source: 'own',
    must: failed(45),
    proof: ['result'],
  },
  {
    program: 'speak-as-the-host.js',
    tries: 'send init frames that only the host may send',
    source: 'own',
    must: failed(46),
    proof: ['result'],
  },
  {
    program: 'fill-the-pipe-and-die.c',
    tries: "have its last output mixed up with init's report of its end",
    source: 'own',
    must: { status: 'execution_error', signal: 'SIGTERM' },
    proof: ['result'],
  },
]
