import { expect, it } from 'vitest'
import { encodeStdin, encodeStdinEnd } from '../../src/encode.ts'
import { Container, describeInit, exec } from './container.ts'

const [LAST, MORE, TAKEN, NEXT, ALONE] = [0, 1, 2, 3, 4]

/** A part of a message. */
function part(content: string, kind = LAST): Buffer {
  const header = Buffer.alloc(5)
  header.writeUInt32BE(content.length)
  header.writeUInt8(kind, 4)
  return Buffer.concat([header, Buffer.from(content)])
}

/** Functions of a shell script: read parts of one byte, look for more of them, answer with a part of one byte. */
const SHELL = `
take() { dd bs=1 count=6 2>/dev/null | tail -c 1 >&2; }
peek() { timeout 0.2 dd bs=1 count=1 2>/dev/null | wc -c >&2; }
answer() { printf "\\\\000\\\\000\\\\000\\\\001\\\\00$1A"; }
`

const started = (script: string, isPaced = true) =>
  exec({ argv: ['sh', '-c', SHELL + script], stdin: true, paced: isPaced })

/** What the program has read when its first answer comes. */
async function readBeforeAnswer(container: Container): Promise<string> {
  for (let read = ''; ; ) {
    const frame = await container.frame()
    if (frame.type === 'stderr') read += Buffer.from(frame.data)
    if (frame.type === 'stdout') return read
  }
}

describeInit('paced stdin of a run', () => {
  it.each([
    ['passes a question on once the one before is answered', true, 'a0\nb0\nc0\n'],
    ['comes at once without pacing', false, 'a1\n'],
  ])('%s', async (_, isPaced, seen) => {
    await using container = await Container.start()
    const questions = [part('a', NEXT), part('b', NEXT), part('c')]
    const script = isPaced ? 'take; peek; answer 0; take; peek; answer 0; take; peek; answer 0' : 'take; peek'
    container.send(started(script, isPaced), encodeStdin(Buffer.concat(questions)))
    const { stderr, stdout } = await container.outcome()
    expect(stderr.toString()).toBe(seen)
    expect(stdout.byteLength).toBe(isPaced ? 18 : 0)
  })

  it('passes parts that come in pieces, and long ones', async () => {
    await using container = await Container.start()
    const bytes = Buffer.concat([part('x'.repeat(200_000), NEXT), part('b')])
    container.send(started('head -c 200005 | wc -c >&2; peek; answer 0; take'))
    for (const end of [1, 4, 7, 100_000, 200_006, 200_009, bytes.byteLength]) {
      const at = [0, 1, 4, 7, 100_000, 200_006, 200_009].findLast((each) => each < end) ?? 0
      container.send(encodeStdin(bytes.subarray(at, end)))
    }
    expect((await container.outcome()).stderr.toString()).toBe('200005\n0\nb')
  })

  it.each([
    ['alone', ALONE],
    ['in several parts', MORE],
  ])('drops the questions that follow one with an answer that comes %s', async (_, kind) => {
    await using container = await Container.start()
    container.send(started(`take; answer ${kind}; take; peek`))
    container.send(encodeStdin(Buffer.concat([part('a', NEXT), part('b', NEXT)])))
    const first = await readBeforeAnswer(container)
    // The rest of what was sent together comes after the answer.
    const rest = [part('c', NEXT), part('d'), part('e', kind === MORE ? TAKEN : LAST)]
    for (const byte of Buffer.concat(rest)) container.send(encodeStdin(Buffer.of(byte)))
    expect(first + (await container.outcome()).stderr).toBe('ae0\n')
  })

  it('ends if the program answers what it was not asked', async () => {
    await using container = await Container.start()
    container.send(started('answer 0; sleep 0.3; wc -c >&2'))
    await readBeforeAnswer(container)
    container.send(encodeStdin(part('a')))
    expect((await container.outcome()).stderr.toString().trim()).toBe('0')
  })

  it('ends with what the program has got when the host ends it', async () => {
    await using container = await Container.start()
    const questions = encodeStdin(Buffer.concat([part('a', NEXT), part('b')]))
    container.send(started('take; sleep 0.3; answer 0; wc -c >&2'), questions)
    await container.next('started')
    await new Promise((resolve) => setTimeout(resolve, 100))
    container.send(encodeStdinEnd())
    expect((await container.outcome()).stderr.toString().replace(/\s/g, '')).toBe('a0')
  })

  it('holds no answer back for one that takes long', async () => {
    await using container = await Container.start()
    const questions = encodeStdin(Buffer.concat([part('a', NEXT), part('b')]))
    container.send(started('take; answer 0; take; sleep 2; answer 0'), questions)
    await container.next('started')
    const began = performance.now()
    await readBeforeAnswer(container)
    expect(performance.now() - began).toBeLessThan(1000)
    await container.outcome()
  })

  it('of one program says nothing about the next', async () => {
    await using container = await Container.start()
    container.send(started('take'), encodeStdin(Buffer.concat([part('a', NEXT), part('b')])))
    await container.outcome()
    container.send(started('take; answer 0; take'), encodeStdin(Buffer.concat([part('c', NEXT), part('d')])))
    expect((await container.outcome()).stderr.toString()).toBe('cd')
  })
})
