import { type Declare, examples } from './declare.ts'
import { addDriverOption, withDriver } from './driver-option.ts'

const JSON_LINES = 'print one JSON object per line'

/** Declares `isopod roots` and its subcommands. */
export const declareRoots: Declare = (command, { io, services, end }) => {
  const load = () => import('../commands/roots.ts')
  command
    .option('-j, --json', JSON_LINES)
    .action(async (options) => end(await (await load()).listRoots(io, services, options)))
  command
    .command('list')
    .description('list roots, as without a subcommand')
    .option('-j, --json', JSON_LINES)
    .action(async (_, list) => end(await (await load()).listRoots(io, services, list.optsWithGlobals())))
  // Commander takes options of a subcommand for those of its parent if both have them.
  const make = command.command('make')
  addDriverOption(make)
    .description('make roots of the engine’s images, or build them without an engine')
    .argument(
      '[language...]',
      'languages of the catalogue (default: all that the engine has; without one the usual)',
    )
    .option('-j, --json', JSON_LINES)
    .action(async (names) => {
      const { driver, json } = make.optsWithGlobals()
      end(await (await load()).makeRoots(withDriver(io, driver), services, names, { json }))
    })
  command
    .command('import')
    .description('make a root of a file of "docker save", or of an OCI archive')
    .argument('<file>', 'the archive')
    .requiredOption('--as <reference>', 'how the catalogue names the image')
    .option('-j, --json', JSON_LINES)
    .action(async (file, _, given) =>
      end(await (await load()).importRootFile(io, services, file, given.optsWithGlobals())),
    )
  command
    .command('remove')
    .description('remove roots; no worker may be using them')
    .argument('[root...]', 'languages, or images as roots lists them')
    .option('--unused', 'the roots of images that have newer ones')
    .option('-j, --json', JSON_LINES)
    .action(async (references, _, remove) =>
      end(await (await load()).removeRoots(io, services, references, remove.optsWithGlobals())),
    )
  command
    .command('verify')
    .description('compare roots with what was unpacked; exit code 1 if one differs')
    .argument('[root...]', 'languages, or images as roots lists them (default: all)')
    .option('-j, --json', JSON_LINES)
    .action(async (references, _, verify) =>
      end(await (await load()).verifyRoots(io, services, references, verify.optsWithGlobals())),
    )
  examples(command, [
    'isopod roots',
    'isopod roots make python bash',
    'isopod roots import ruby.tar --as isopod/ruby:3.3',
    'isopod roots verify',
    'isopod roots remove --unused',
  ]).addHelpText(
    'after',
    '\nRoots are in ISOPOD_ROOTS_DIR (default: .isopod/roots of a checkout, else\n/var/lib/isopod/roots).',
  )
}
