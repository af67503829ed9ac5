import { serve } from '../../src/serve.ts'
import type { Task } from './worker.ts'

serve((task: Task, progress) => {
  progress(1)
  switch (task.do) {
    case 'echo':
      return task.text
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
