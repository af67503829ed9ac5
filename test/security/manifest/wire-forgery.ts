import type { Entry } from '../attack.ts'

const failed = (exitCode: number) => ({ status: 'execution_error', exitCode }) as const

/** Words put into the mouth of init or of the host. Each ends with a code of its own, which the result must tell. */
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
    tries: 'open frames of all lengths and never end them',
    source: 'own',
    must: failed(33),
    proof: ['result', 'worker'],
  },
  {
    program: 'headers-of-the-engine.py',
    tries: "write headers of the engine's own stream",
    source: 'own',
    must: failed(34),
    proof: ['result', 'worker'],
  },
  {
    program: 'frames-over-both-streams.sh',
    tries: 'split frames between both streams',
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
    tries: "copy init's end of the wire",
    source: 'own',
    must: failed(38),
    proof: ['result', 'containment'],
  },
  {
    program: 'limits-for-init.py',
    tries: 'take files, time and memory away from init',
    source: 'own',
    must: failed(39),
    proof: ['result', 'victim'],
  },
  {
    program: 'signals-for-init.py',
    tries: 'send init a hundred thousand signals of all kinds, or as many as eight seconds allow',
    source: 'own',
    // The last signal of each round goes to its own process too, which does not mind.
    // Four hundred thousand calls take their time under gVisor; what ends it is never a signal of its own.
    must: { runc: failed(40), runsc: { status: ['execution_error', 'timeout'] } },
    proof: ['result', 'victim'],
  },
  {
    program: 'type-into-a-terminal.c',
    tries: 'type into a terminal that somebody else reads',
    source: 'CVE-2017-5226 and its kind',
    must: failed(41),
    proof: ['result'],
  },
  {
    program: 'close-everything.js',
    tries: 'close its streams and have their numbers used again',
    source: 'own',
    must: failed(42),
    proof: ['result'],
  },
  {
    program: 'orphans-with-other-codes.c',
    tries: 'have init take the end of an orphan for its own',
    source: 'own',
    must: failed(43),
    proof: ['result'],
  },
  {
    program: 'end-of-the-first-thread.c',
    tries: 'end the first thread long before the process',
    source: 'own',
    must: failed(44),
    proof: ['result'],
  },
  {
    program: 'become-another-program.sh',
    tries: 'become other programs, the last one named like init',
    source: 'own',
    must: failed(45),
    proof: ['result'],
  },
  {
    program: 'speak-as-the-host.js',
    tries: 'give init orders in the name of the host',
    source: 'own',
    must: failed(46),
    proof: ['result'],
  },
  {
    program: 'fill-the-pipe-and-die.c',
    tries: "have its last bytes mixed up with init's first",
    source: 'own',
    must: { status: 'execution_error', signal: 'SIGTERM' },
    proof: ['result'],
  },
]
