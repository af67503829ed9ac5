import { RULES } from '../../src/index.ts'

const HEAD = ['| rule | says | standard | strict | because it |', '| --- | --- | --- | --- | --- |']

/** The table of rules, as the README has it. */
export function ruleTable(): string {
  const rows = RULES.map(
    ({ id, subject, standard = '', strict, reason }) =>
      `| \`${id}\` | \`${subject}\` | ${standard} | ${strict} | ${reason} |`,
  )
  return [...HEAD, ...rows].join('\n')
}
