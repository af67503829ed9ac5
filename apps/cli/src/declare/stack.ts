import { Argument } from 'commander'
import type { Shell } from '../completion.ts'
import { type Declare, examples } from './declare.ts'
import { addDriverOption, withDriver } from './driver-option.ts'

/** Declares `isopod languages`. */
export const declareLanguages: Declare = (command, { io, services, end }) => {
  command.option('-j, --json', 'print one JSON object per line').action(async (options) => {
    const { languagesCommand } = await import('../commands/languages.ts')
    end(await languagesCommand(io, services, options))
  })
  examples(command, ['isopod languages', 'isopod languages --json'])
}

/** Declares `isopod mcp`. */
export const declareMcp: Declare = (command, { io, services, end }) => {
  command
    .option('--http <address>', '[host:]port: listen on http://host:port/mcp (host: 127.0.0.1)')
    .action(async (options) => {
      const { mcpCommand } = await import('../commands/mcp.ts')
      end(await mcpCommand(io, services, options))
    })
  examples(command, ['isopod mcp', 'isopod mcp --http 8008']).addHelpText(
    'after',
    '\nWithout --http the server speaks MCP on standard input and output.',
  )
}

/** Declares `isopod demo`. */
export const declareDemo: Declare = (command, { io, services, end }) => {
  addDriverOption(command)
    .option('--allow-shared-redis', 'send the hostile jobs through REDIS_URL, too')
    .option('-j, --json', 'print one JSON object per job')
    .action(async ({ driver, ...options }) => {
      const { demoCommand } = await import('../commands/demo.ts')
      end(await demoCommand(withDriver(io, driver), services, options))
    })
  examples(command, ['isopod demo', 'isopod demo --driver process', 'isopod demo --json'])
}

/** Declares `isopod up`. */
export const declareUp: Declare = (command, { io, services, end }) => {
  addDriverOption(command)
    .option('-w, --workers <n>', 'worker processes, 1 to 64 (default: 1)')
    .option('-p, --port <port>', 'port of the HTTP API, on loopback; 0: a free one (default: PORT, or 8007)')
    .option('-j, --json', 'print the addresses as one JSON object')
    .action(async ({ driver, ...options }) => {
      const { upCommand } = await import('../commands/up.ts')
      end(await upCommand(withDriver(io, driver), services, options))
    })
  examples(command, ['isopod up', 'isopod up --driver process', 'isopod up --workers 2 --port 8080'])
}

/** Declares `isopod down`. */
export const declareDown: Declare = (command, { io, services, end }) => {
  command
    .option('--purge', 'delete .isopod with its images and roots, too')
    .option('-j, --json', 'print one JSON object: what was done')
    .action(async (options) => {
      const { downCommand } = await import('../commands/up.ts')
      end(await downCommand(io, services, options))
    })
  examples(command, ['isopod down', 'isopod down --purge'])
}

/** Declares `isopod doctor`. */
export const declareDoctor: Declare = (command, { io, services, end }) => {
  addDriverOption(command)
    .option('--attack', 'attack containers of the driver, as a worker does at its start')
    .option('-j, --json', 'print one JSON object per line')
    .action(async ({ attack, driver, ...options }) => {
      const chosen = withDriver(io, driver)
      if (attack) {
        const { doctorAttackCommand } = await import('../commands/doctor-attack.ts')
        return end(await doctorAttackCommand(chosen, services, options))
      }
      const { doctorCommand } = await import('../commands/doctor.ts')
      end(await doctorCommand(chosen, services, options))
    })
  examples(command, ['isopod doctor', 'isopod doctor --driver process', 'isopod doctor --attack'])
}

/** Declares `isopod completion`. */
export const declareCompletion: Declare = (command, { io, wholeProgram, end }) => {
  command
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'fish', 'zsh']))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../completion.ts')
      io.stdout.write(completionScript(shell, await wholeProgram()))
      end(0)
    })
  examples(command, [
    'source <(isopod completion bash)',
    'source <(isopod completion zsh)',
    'isopod completion fish > ~/.config/fish/completions/isopod.fish',
  ])
}
