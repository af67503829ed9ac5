import type { KeyScope } from '@isopod/access'
import { Option } from 'commander'
import { type Declare, examples } from './declare.ts'

/** Scopes of a key. The type keeps this copy complete; loading the package itself would slow down `--help`. */
const SCOPES: Readonly<Record<KeyScope, true>> = { submit: true, read: true, admin: true }

/** Declares `isopod keys` and its subcommands. */
export const declareKeys: Declare = (keys, { io, services, end }) => {
  const load = () => import('../commands/keys.ts')
  keys
    .command('create')
    .description('create a key; it is printed once and stored nowhere')
    .requiredOption('--name <text>', 'purpose of the key')
    .requiredOption('--tenant <name>', 'tenant whose executions the key submits and reads')
    .addOption(
      new Option('--scope <scope...>', 'permissions of the key')
        .choices(Object.keys(SCOPES))
        .default(['submit', 'read'], 'submit read'),
    )
    .option('--per-minute <n>', 'maximum requests per minute (default: no limit)')
    .option('--in-flight <n>', 'maximum unfinished executions (default: no limit)')
    .option('--days <n>', 'days until the key expires (default: never)')
    .option('--token-file <path>', 'file with a token to use instead of a new one; it is not printed')
    .option('-j, --json', 'print one JSON object: id and token')
    .action(async (options) => end(await (await load()).createKey(io, services, options)))
  keys
    .command('list')
    .description('list the keys, the oldest first')
    .option('-j, --json', 'print one JSON object per line')
    .action(async (options) => end(await (await load()).listKeys(io, services, options)))
  keys
    .command('revoke')
    .description('delete a key; its next request is refused')
    .argument('<id>', 'id of the key, as list prints it')
    .option('-j, --json', 'print one JSON object: id and whether it was revoked')
    .action(async (id, options) => end(await (await load()).revokeKey(io, services, id, options)))
  examples(keys, [
    'isopod keys create --name ci --tenant ci --per-minute 600',
    'isopod keys list',
    'isopod keys revoke 3f9c02ab77e1',
  ])
}
