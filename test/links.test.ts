import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const FENCE = /^```[\s\S]*?^```/gm
const LINK = /\]\((?<target>[^()\s]+)\)/g

it('each relative link in a page leads to an existing file and heading', () => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const pages = listed.split('\0').filter((path) => path.endsWith('.md') && existsSync(join(root, path)))
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.flatMap(deadLinks)).toEqual([])
})

function deadLinks(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8').replace(FENCE, '')
  return [...text.matchAll(LINK)]
    .map((match) => match.groups?.['target'] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target))
    .map((target) => `${page}: ${target}`)
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : relative(root, join(root, dirname(page), path))
  if (!existsSync(join(root, file))) return false
  if (anchor === undefined) return true
  const document = file.endsWith('.md') ? file : join(file, 'README.md')
  return existsSync(join(root, document)) && anchorsOf(document).has(anchor)
}

/** Anchors of a page: those that GitHub derives from headings, and explicit ones. */
function anchorsOf(document: string): Set<string> {
  const text = readFileSync(join(root, document), 'utf8').replace(FENCE, '')
  const headings = [...text.matchAll(/^#+ (?<title>.+)$/gm)].map((match) => match.groups?.['title'] ?? '')
  const written = [...text.matchAll(/<a id="(?<id>[^"]+)">/g)].map((match) => match.groups?.['id'] ?? '')
  return new Set([...headings.map(slug), ...written])
}

function slug(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}
