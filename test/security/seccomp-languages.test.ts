import type { JobInput } from '@isopod/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const limits = { timeoutSeconds: 60, memoryMb: 512, cpus: 2, processes: 200 }

async function output(job: JobInput): Promise<string> {
  const result = await world.client.run({ limits, ...job })
  expect(result.stderr).toBe('')
  expect(result).toMatchObject({ status: 'success' })
  return result.stdout
}

it.concurrent('Python computes, and starts threads, processes, event loops and servers', async () => {
  const code = `
import asyncio, concurrent.futures, json, multiprocessing, os, socket, subprocess, sys, tempfile, threading
import numpy, pandas
def square(n): return n * n
async def talk():
    async def answer(reader, writer):
        writer.write((await reader.readline()).upper()); await writer.drain(); writer.close()
    server = await asyncio.start_server(answer, '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b'loopback\\n')
    line = await reader.readline()
    process = await asyncio.create_subprocess_exec('cat', stdin=-1, stdout=-1)
    return line, (await process.communicate(b'piped'))[0]
if __name__ == '__main__':
    print((numpy.ones((300, 300)) @ numpy.ones((300, 300))).sum(), pandas.DataFrame({'a': [1, 2]}).a.sum())
    for method in ('fork', 'spawn', 'forkserver'):
        with multiprocessing.get_context(method).Pool(2) as pool: print(method, pool.map(square, [1, 2]))
    with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(square, range(10))))
    print(subprocess.run(['sh', '-c', 'echo sub; exit 3'], capture_output=True))
    print(asyncio.run(talk()))
    with tempfile.NamedTemporaryFile() as file: print(file.write(b'x'), os.stat(file.name).st_size)
    lock = multiprocessing.Lock()
    with lock: print(os.cpu_count() > 0)
    left, right = socket.socketpair(); left.send(b'pair'); print(right.recv(4), os.urandom(4) != b'')
`
  expect(await output({ language: 'python', code })).toBe(
    [
      '27000000.0 3',
      'fork [1, 4]',
      'spawn [1, 4]',
      'forkserver [1, 4]',
      '285',
      `CompletedProcess(args=['sh', '-c', 'echo sub; exit 3'], returncode=3, stdout=b'sub\\n', stderr=b'')`,
      "(b'LOOPBACK\\n', b'piped')",
      '1 0',
      'True',
      "b'pair' True",
      '',
    ].join('\n'),
  )
})

const NODE = `
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, watch, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'
const label: string = 'typed'
console.log(label, execFileSync('sh', ['-c', 'echo child']).toString().trim())
const worker = new Worker("require('node:worker_threads').parentPort.postMessage(6 * 7)", { eval: true })
console.log((await once(worker, 'message'))[0])
await writeFile('a.mjs', 'process.send(process.argv[2]); process.disconnect()')
console.log((await once(fork('a.mjs', ['forked']), 'message'))[0])
const server = createServer((_, response) => response.end('served')).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(await (await fetch('http://127.0.0.1:' + server.address().port)).text())
server.close()
server.closeAllConnections()
console.log((await readFile('a.mjs')).length > 10)
`

it.concurrent.each([
  ['javascript', NODE.replace('label: string', 'label')],
  ['typescript', NODE],
])('Node runs %s with threads, processes, a server and its client', async (language, code) => {
  expect(await output({ language, code })).toBe('typed child\n42\nforked\nserved\ntrue\n')
})

it.concurrent('Bash has pipes, jobs, here-documents, process substitution and coprocesses', async () => {
  const code = `
sort <(printf 'b\\na\\n') | tr '\\n' ' '
sleep 0.1 & wait $!; echo "waited $?"
coproc up { tr a-z A-Z; }; echo co >&"\${up[1]}"; eval "exec \${up[1]}>&-"; cat <&"\${up[0]}"
cat <<< "$(ls -A /workspace | wc -l)"
trap 'echo trapped' USR1; kill -USR1 $$
mkfifo f; (echo through > f) & cat f; flock lock true; sync; date -d @0 -u +%Y
`
  expect(await output({ language: 'bash', code })).toBe('a b waited 0\nCO\n1\ntrapped\nthrough\n1970\n')
})

it.concurrent('C compiles, starts threads and processes, and shares memory', async () => {
  const code = `
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
static int *sum; static sem_t lock;
static void *add(void *n) { sem_wait(&lock); *sum += *(int *)n; sem_post(&lock); return NULL; }
int main(void) {
  int shared = shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT);
  sum = shmat(shared, NULL, 0); shmctl(shared, IPC_RMID, NULL); sem_init(&lock, 0, 1);
  pthread_t threads[8]; int n[8];
  for (int i = 0; i < 8; i++) { n[i] = i; pthread_create(&threads[i], NULL, add, &n[i]); }
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
  printf("%d\\n", *sum); fflush(stdout);
  if (fork() == 0) { *sum = 7; _exit(0); }
  wait(NULL); printf("%d\\n", *sum); fflush(stdout);
  pid_t child; char *argv[] = {"echo", "spawned", NULL}, *none[] = {NULL};
  posix_spawnp(&child, "echo", NULL, NULL, argv, none); waitpid(child, NULL, 0);
  printf("%d\\n", system("exit 2") >> 8);
}
`
  expect(await output({ language: 'c', code })).toBe('28\n7\nspawned\n2\n')
})
