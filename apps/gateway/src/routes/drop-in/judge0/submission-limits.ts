/** Submissions in one batch. */
export const MAX_BATCH = 20

/** What a submission has that asks for nothing; its memory is the language's own. */
export const DEFAULTS = { cpuSeconds: 5, wallSeconds: 10, fileKb: 1024 }

/** What a submission may ask for: Judge0's own defaults. Times are seconds, sizes kB. */
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
