import { type Declare, examples } from './declare.ts'

/** Declares `isopod quarantine`. */
export const declareQuarantine: Declare = (command, { io, services, end }) => {
  command.option('-j, --json', 'print one JSON object per line: reason and id').action(async (options) => {
    const { quarantineCommand } = await import('../commands/quarantine.ts')
    end(await quarantineCommand(io, services, options))
  })
  examples(command, ['isopod quarantine', 'isopod quarantine --json']).addHelpText(
    'after',
    `
malformed, reserved    an id that cannot be a job's; it was removed
wrong_type, too_large  the data of a job was replaced; its result says so
lost                   the id of a job was removed; the job waits again
structure              a list was unusable; it was set aside or mended`,
  )
}
