/** The language images and their tags; each has a folder of its name in `deploy/images`. */
export const IMAGES = {
  python: 'isopod/python:3.13',
  javascript: 'isopod/javascript:24',
  bash: 'isopod/bash:5.2',
  c: 'isopod/c:14',
  cpp: 'isopod/cpp:14',
  java: 'isopod/java:21',
  go: 'isopod/go:1.24',
  rust: 'isopod/rust:1.85',
  ruby: 'isopod/ruby:3.3',
  php: 'isopod/php:8.4',
  perl: 'isopod/perl:5.40',
  lua: 'isopod/lua:5.4',
  r: 'isopod/r:4.5',
  sqlite: 'isopod/sqlite:3.46',
} as const

/** Name of a language image. TypeScript runs in `javascript`. */
export type ImageName = keyof typeof IMAGES

/** Names of all language images. */
export const IMAGE_NAMES = Object.keys(IMAGES) as ImageName[]

/** What set-up builds, the slowest first; all others are built when somebody asks for them. */
export const USUAL_IMAGES = ['python', 'c', 'javascript', 'bash'] as const satisfies readonly ImageName[]

/** Images that stand on another language's, whose layers they share. All others stand on Debian alone. */
const PARENTS: Readonly<Partial<Record<ImageName, ImageName>>> = { cpp: 'c', rust: 'c' }

/** The language image below another; undefined where it is Debian. */
export function parentOf(name: ImageName): ImageName | undefined {
  return PARENTS[name]
}

/** Whether a word is the name of a language image. */
export function isImageName(word: string): word is ImageName {
  return Object.hasOwn(IMAGES, word)
}
