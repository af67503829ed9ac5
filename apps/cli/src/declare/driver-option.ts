import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'

/** Adds the option `--driver` to a command. */
export function addDriverOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--driver <name>',
      'docker, or process, which needs no engine (default: ISOPOD_DRIVER, or docker)',
    ).choices(['docker', 'process']),
  )
}

/** The environment of a command with the option `--driver`: the option counts more than ISOPOD_DRIVER. */
export function withDriver(io: Io, driver: string | undefined): Io {
  return driver === undefined ? io : { ...io, env: { ...io.env, ISOPOD_DRIVER: driver } }
}
