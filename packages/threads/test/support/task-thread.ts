import { threadId } from 'node:worker_threads'
import { boundedTask } from '../../src/bounded-task.ts'

/** The tasks that threads of these specs can run. */
export type ThreadTask =
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'spin'; readonly ms: number }
  | { readonly do: 'spin forever' | 'fill the heap' | 'throw' | 'exit' | 'own id' }
  | { readonly do: 'wait'; readonly ms: number }

export const threadTask = boundedTask((task: ThreadTask, progress): string => {
  progress(1)
  switch (task.do) {
    case 'echo':
      return task.text
    case 'own id':
      return `${threadId}`
    case 'spin': {
      const until = cpuMs() + task.ms
      while (cpuMs() < until);
      return 'spun'
    }
    case 'spin forever':
      for (;;);
    case 'fill the heap': {
      const kept: unknown[] = []
      for (;;) kept.push(Array.from({ length: 1000 }, (_, n) => ({ n })))
    }
    case 'throw':
      throw new Error('thrown')
    case 'exit':
      return process.exit(3)
    case 'wait':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, task.ms)
      return 'waited'
    default:
      return task satisfies never
  }
})

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
