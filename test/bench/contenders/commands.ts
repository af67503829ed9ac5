import type { Program } from './contender.ts'

/** Commands that run a program from standard input. */
export const FROM_STDIN: Readonly<Record<Program['language'], readonly [string, ...string[]]>> = {
  python: ['python3', '-'],
  javascript: ['node', '-'],
  bash: ['bash', '-s'],
  c: ['sh', '-c', 'gcc -O2 -std=c17 -x c -o /workspace/main - -lm && exec /workspace/main'],
}

/** Commands that run a program from a file in the working directory. */
export const FROM_FILE: Readonly<
  Record<Program['language'], { readonly file: string; readonly words: readonly [string, ...string[]] }>
> = {
  python: { file: 'main.py', words: ['python3', 'main.py'] },
  javascript: { file: 'main.js', words: ['node', 'main.js'] },
  bash: { file: 'main.sh', words: ['bash', 'main.sh'] },
  c: { file: 'main.c', words: ['sh', '-c', 'gcc -O2 -std=c17 -o main main.c -lm && exec ./main'] },
}
