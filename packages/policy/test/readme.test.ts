import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ruleTable } from './support/rule-table.ts'

const README = new URL('../README.md', import.meta.url)
const TABLE = /(?<=<!-- rules -->\n)[\s\S]*?(?=\n<!-- \/rules -->)/

it('the README has every rule as it is (UPDATE_README=1 writes it)', () => {
  const readme = readFileSync(README, 'utf8')
  if (process.env['UPDATE_README']) writeFileSync(README, readme.replace(TABLE, ruleTable))
  expect(TABLE.exec(readFileSync(README, 'utf8'))?.[0]).toBe(ruleTable())
})
