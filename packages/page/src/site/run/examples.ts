/** An example program. */
export interface Example {
  readonly title: string
  readonly code: string
  /** Values of fields of the form: name of the field → value. */
  readonly fields?: Readonly<Record<string, string>>
}

/** Examples of each language; the first one is shown when the language is chosen. */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  python: [
    { title: 'Hello', code: 'import sys\n\nprint("Hello from Python", sys.version.split()[0])\n' },
    {
      title: 'Live output',
      code: 'import time\n\nfor step in range(1, 11):\n    print(f"step {step} of 10", flush=True)\n    time.sleep(0.4)\n',
    },
    {
      title: 'Read standard input',
      code: 'import sys\n\nnumbers = [int(line) for line in sys.stdin]\nprint(f"{len(numbers)} numbers, sum {sum(numbers)}")\n',
      fields: { stdin: '3\n14\n15\n' },
    },
    {
      title: 'Table with pandas',
      code: 'import pandas as pd\n\ntable = pd.DataFrame({"n": range(1, 6)})\ntable["square"] = table["n"] ** 2\nprint(table.to_string(index=False))\n',
    },
    {
      title: 'A picture',
      code: [
        'import struct, zlib',
        'import numpy as np',
        '',
        'height, width = 240, 480',
        'image = np.full((height, width, 3), 255, np.uint8)',
        'x = np.arange(width)',
        'for phase, colour in ((0, (15, 118, 110)), (2, (192, 104, 78))):',
        '    y = (height / 2 - 90 * np.sin(x / 40 + phase)).astype(int)',
        '    for thickness in range(4):',
        '        image[y + thickness, x] = colour',
        '',
        '',
        'def chunk(kind, data):',
        '    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))',
        '',
        '',
        'rows = b"".join(b"\\0" + row.tobytes() for row in image)',
        'with open("plot.png", "wb") as file:',
        '    file.write(b"\\x89PNG\\r\\n\\x1a\\n")',
        '    file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))',
        '    file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))',
        'print("plot.png is ready")',
        '',
      ].join('\n'),
      fields: { fetchFiles: 'plot.png\n' },
    },
    {
      title: 'An exception',
      code: 'def mean(values):\n    return sum(values) / len(values)\n\n\nprint(mean([1, 2, 3]))\nprint(mean([]))\n',
    },
    {
      title: 'Timeout after 2 s',
      code: 'n = 0\nwhile True:\n    n += 1\n',
      fields: { 'limits.timeoutSeconds': '2' },
    },
    {
      title: 'Too much memory',
      code: 'blocks = []\nwhile True:\n    blocks.append(bytearray(8 * 1024 * 1024))\n    print(f"{8 * len(blocks)} MiB", flush=True)\n',
      fields: { 'limits.memoryMb': '128' },
    },
  ],
  javascript: [
    { title: 'Hello', code: "console.log('Hello from Node.js', process.version)\n" },
    {
      title: 'Live output',
      code: "import { setTimeout as sleep } from 'node:timers/promises'\n\nfor (let step = 1; step <= 10; step++) {\n  console.log('step', step, 'of 10')\n  await sleep(400)\n}\n",
    },
  ],
  typescript: [
    {
      title: 'Hello',
      code: "interface Greeting {\n  readonly to: string\n}\n\nconst greet = ({ to }: Greeting): string => 'Hello, '.concat(to)\n\nconsole.log(greet({ to: 'TypeScript' }))\n",
    },
  ],
  bash: [
    { title: 'Hello', code: 'echo "Hello from bash $BASH_VERSION"\n' },
    {
      title: 'Both streams',
      code: 'for step in 1 2 3 4 5; do\n  echo "step $step"\n  echo "note $step" >&2\n  sleep 0.4\ndone\nexit 3\n',
    },
    { title: 'Arguments', code: 'printf "<%s>\\n" "$@"\n', fields: { args: 'one\ntwo words\n' } },
    {
      title: 'Too many processes',
      code: 'for n in $(seq 50); do\n  sleep 5 &\ndone\nwait\n',
      fields: { 'limits.processes': '20' },
    },
  ],
  c: [
    {
      title: 'Hello',
      code: '#include <stdio.h>\n\nint main(void) {\n    printf("Hello from C, standard %ld\\n", __STDC_VERSION__);\n    return 0;\n}\n',
    },
    { title: 'A compile error', code: 'int main(void) {\n    return answer;\n}\n' },
  ],
  cpp: [
    {
      title: 'Hello',
      code: "#include <iostream>\n#include <ranges>\n\nint main() {\n    for (int n : std::views::iota(1, 6)) std::cout << n * n << '\\n';\n}\n",
    },
  ],
  java: [
    {
      title: 'Hello',
      code: 'public class Main {\n    public static void main(String[] args) {\n        System.out.println("Hello from Java " + Runtime.version().feature());\n    }\n}\n',
    },
  ],
  go: [
    {
      title: 'Hello',
      code: 'package main\n\nimport (\n\t"fmt"\n\t"runtime"\n)\n\nfunc main() {\n\tfmt.Println("Hello from", runtime.Version())\n}\n',
    },
  ],
  rust: [
    {
      title: 'Hello',
      code: 'fn main() {\n    let squares: Vec<u32> = (1..=5).map(|n| n * n).collect();\n    println!("Hello from Rust: {squares:?}");\n}\n',
    },
  ],
  ruby: [{ title: 'Hello', code: 'puts "Hello from Ruby #{RUBY_VERSION}"\n' }],
  php: [{ title: 'Hello', code: '<?php\necho "Hello from PHP ", PHP_VERSION, PHP_EOL;\n' }],
  perl: [{ title: 'Hello', code: 'print "Hello from Perl $^V\\n";\n' }],
  lua: [{ title: 'Hello', code: 'print("Hello from " .. _VERSION)\n' }],
  r: [
    {
      title: 'Hello',
      code: 'cat("Hello from", R.version.string, "\\n")\nprint(summary(c(1, 2, 3, 5, 8)))\n',
    },
  ],
  sql: [
    {
      title: 'Hello',
      code: "create table words (word text, n integer);\ninsert into words values ('hello', 5), ('from', 4), ('sql', 3);\nselect word, n * n as squared from words order by n;\n",
    },
  ],
  haskell: [
    {
      title: 'Hello',
      code: 'main :: IO ()\nmain = putStrLn ("Hello from Haskell " ++ show [n * n | n <- [1 .. 5 :: Int]])\n',
    },
  ],
}

const EMPTY: readonly Example[] = [{ title: 'Empty', code: '' }]

/** Examples of a language; an empty program where there are none. */
export function examplesOf(language: string): readonly Example[] {
  return (Object.hasOwn(EXAMPLES, language) ? EXAMPLES[language] : undefined) ?? EMPTY
}
