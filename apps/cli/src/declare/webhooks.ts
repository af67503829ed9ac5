import { type Declare, examples } from './declare.ts'

/** Declares `isopod webhooks` and its subcommands. */
export const declareWebhooks: Declare = (webhooks, { io, services, end }) => {
  const load = () => import('../commands/webhooks.ts')
  webhooks
    .command('list')
    .description('list failed webhooks, latest first, and pending ones')
    .option('--failed', 'only failed webhooks')
    .option('-j, --json', 'print one JSON object per line, with the complete URL')
    .action(async (options) => end(await (await load()).listWebhooks(io, services, options)))
  webhooks
    .command('redeliver')
    .description('retry failed webhooks from their first attempt')
    .argument('[id...]', 'ids of executions, as printed by list')
    .option('--all', 'all failed webhooks')
    .option('-j, --json', 'print one JSON object per line: id and whether it is retried')
    .action(async (ids, options) => end(await (await load()).redeliverWebhooks(io, services, ids, options)))
  webhooks
    .command('secret')
    .description('print the secret that a tenant verifies signatures with')
    .option('--tenant <name>', 'tenant of the executions', 'default')
    .option('-j, --json', 'print one JSON object: tenant and secret')
    .action(async (options) => end(await (await load()).showWebhookSecret(io, options)))
  webhooks
    .command('rotate')
    .description('make a new secret; the previous one also signs until the next rotation')
    .option(
      '-j, --json',
      'print one JSON object: the setting for the gateways, or null if the secret was stored',
    )
    .action(async (options) => end(await (await load()).rotateWebhookSecret(io, options)))
  examples(webhooks, [
    'isopod webhooks list --failed',
    'isopod webhooks redeliver j-01a1fafb0c20ccfb75305cf8f65b2e42',
    'isopod webhooks redeliver --all',
    'isopod webhooks secret --tenant ci',
  ])
}
