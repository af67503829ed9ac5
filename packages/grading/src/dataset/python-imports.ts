const STANDARD =
  'string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json'

/** What graders of competitive problems put before a Python solution: their prompts let it be taken for granted. */
export const COMPETITION_IMPORTS = [
  ...[...STANDARD.split(' '), 'typing'].map((name) => `from ${name} import *\n`),
  `import ${STANDARD.replaceAll(' ', ', ')}\n`,
  'sys.setrecursionlimit(50000)\n\n',
].join('')
