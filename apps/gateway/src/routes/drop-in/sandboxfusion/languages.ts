/**
 * SandboxFusion's languages → names of the catalogue. It also knows cuda, jest, julia, junit, kotlin_script, lean, pytest,
 * python_gpu and verilog, which the catalogue does not have.
 */
export const SANDBOXFUSION_LANGUAGES = {
  python: 'python',
  cpp: 'cpp',
  nodejs: 'javascript',
  go: 'go',
  go_test: 'go-test',
  java: 'java',
  php: 'php',
  csharp: 'csharp',
  bash: 'bash',
  typescript: 'typescript',
  sql: 'sql',
  rust: 'rust',
  lua: 'lua',
  R: 'r',
  perl: 'perl',
  D_ut: 'd',
  ruby: 'ruby',
  scala: 'scala',
  swift: 'swift',
  racket: 'racket',
} as const

/** A language that SandboxFusion and the catalogue both have. */
export type SandboxFusionLanguage = keyof typeof SANDBOXFUSION_LANGUAGES

/** The names of all these languages. */
export const SANDBOXFUSION_NAMES = Object.keys(SANDBOXFUSION_LANGUAGES) as [
  SandboxFusionLanguage,
  ...SandboxFusionLanguage[],
]
