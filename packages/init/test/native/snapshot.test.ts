import { expect, it } from 'vitest'
import { encodePutFile, encodeReset, encodeRestore, encodeSnapshot } from '../../src/encode.ts'
import { Container, describeInit, exec } from './container.ts'

const CLEAN = { clean: true, reason: null }
const LIST = 'cd /workspace; find . -type f -printf "%P %m\n" | sort'

async function snapshot(container: Container) {
  container.send(encodeSnapshot())
  return (await container.next('snapshotDone')).snapshot
}

async function restore(container: Container) {
  container.send(encodeRestore())
  return (await container.next('reset')).reset
}

describeInit('a snapshot of the workspace', () => {
  it('is restored with its bytes and modes, whatever a run changed', async () => {
    await using container = await Container.start()
    await container.sh(
      'mkdir -p a/b; printf x > a/b/f; chmod 700 a/b/f; head -c 300000 /dev/zero | tr "\\0" z > big; : > empty',
    )
    const before = (await container.sh(`${LIST}; cat a/b/f; cksum big`)).stdout.toString()
    expect(await snapshot(container)).toMatchObject({ files: 3, error: null })
    for (let turn = 0; turn < 3; turn++) {
      await container.sh(
        'rm -rf a; echo spoiled > big; mkdir empty.d; ln -s /etc link; echo left > /tmp/left',
      )
      expect(await restore(container)).toEqual(CLEAN)
      expect((await container.sh(`${LIST}; cat a/b/f; cksum big; ls /tmp`)).stdout.toString()).toBe(before)
    }
  })

  it('follows no link, and contains only regular files', async () => {
    await using container = await Container.start()
    await container.sh('ln -s /etc/passwd link; ln -s /etc dir; mkfifo pipe; mkdir none; echo here > file')
    expect(await snapshot(container)).toMatchObject({ files: 1 })
    expect(await restore(container)).toEqual(CLEAN)
    expect((await container.sh('ls /workspace')).stdout.toString()).toBe('file\n')
  })

  it('is refused for unreadable, too deep or too many files, and then there is none', async () => {
    await using container = await Container.start({ size: '80m' })
    const attempts = [
      ['echo a > a; echo b > b; chmod 0 b', 'EACCES'],
      ['d=x; for i in $(seq 40); do mkdir $d; cd $d; done', 'ENAMETOOLONG'],
      ['echo a > a; head -c 70000000 /dev/zero > big', 'EFBIG'],
    ] as const
    for (const [script, error] of attempts) {
      await container.sh(script)
      expect(await snapshot(container), script).toEqual({ files: 0, bytes: 0, error })
      expect(await restore(container)).toEqual(CLEAN)
      expect((await container.sh('ls /workspace')).stdout.toString()).toBe('')
    }
  })

  it('is dropped by a plain reset', async () => {
    await using container = await Container.start()
    await container.sh('echo here > file')
    await snapshot(container)
    container.send(encodeReset())
    await container.next('reset')
    expect(await restore(container)).toEqual(CLEAN)
    expect((await container.sh('ls /workspace')).stdout.toString()).toBe('')
  })

  it('cannot be read or changed by a program', async () => {
    await using container = await Container.start()
    await container.sh('echo secret-of-this-spec > file')
    await snapshot(container)
    const { stdout } = await container.sh(
      'head -c 1 /proc/1/mem; ls /proc/1/fd /proc/1/map_files; cat /proc/1/maps',
    )
    expect(stdout.toString()).toBe('')
  })
})

describeInit('a restore', () => {
  it('waits for the end of the run before it, so that many runs can be sent at once', async () => {
    await using container = await Container.start()
    await container.sh('echo first > file')
    await snapshot(container)
    const runs = [1, 2, 3].flatMap((n) => [
      encodeRestore(),
      encodePutFile('own', Buffer.from(`${n}\n`)),
      exec({ argv: ['/bin/sh', '-c', 'sleep 0.05; ls; cat file own; echo spoiled > file; touch more'] }),
    ])
    container.send(Buffer.concat(runs))
    for (const n of [1, 2, 3]) {
      expect((await container.next('reset')).reset).toEqual(CLEAN)
      const { done, stdout } = await container.outcome()
      expect(done).toMatchObject({ exitCode: 0, limit: null, killed: false })
      expect(stdout.toString()).toBe(`file\nown\nfirst\n${n}\n`)
    }
  })
})
