import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ruleTable } from './support/rule-table.ts'

const README = new URL('../README.md', import.meta.url)
const TABLE = /(?<=<!-- rules -->\n)[\s\S]*?(?=\n<!-- \/rules -->)/

/** A Markdown table without the formatter's padding. */
function bare(table = ''): string {
  return table.trim().replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
}

it('the README has the current table of rules (UPDATE_README=1 writes it)', () => {
  const readme = readFileSync(README, 'utf8')
  if (process.env['UPDATE_README']) writeFileSync(README, readme.replace(TABLE, `\n${ruleTable()}\n`))
  expect(bare(TABLE.exec(readFileSync(README, 'utf8'))?.[0])).toBe(bare(ruleTable()))
})
