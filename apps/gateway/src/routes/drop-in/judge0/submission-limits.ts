/** Maximum number of submissions in one batch. */
export const MAX_BATCH = 20

/** Default limits of a submission; the default memory is the language's. */
export const DEFAULTS = { cpuSeconds: 5, wallSeconds: 10, fileKb: 1024 }

/** Maximum limits of a submission, as in Judge0's default configuration. Times are seconds, sizes kB. */
export const MAXIMA = {
  cpu_time_limit: 15,
  cpu_extra_time: 5,
  wall_time_limit: 20,
  memory_limit: 512_000,
  stack_limit: 128_000,
  max_processes_and_or_threads: 120,
  max_file_size: 4096,
  number_of_runs: 1,
}
