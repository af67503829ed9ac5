import { MAX_FILES_BYTES } from '@isopod/protocol'
import type { WebhookSettings } from '../../../config.ts'
import { JUDGE0_LANGUAGES } from './languages.ts'
import { DEFAULTS, MAX_BATCH, MAXIMA } from './submission-limits.ts'

/**
 * The response of `GET /config_info`: what submissions may ask for. Judge0's Python client requests it first.
 *
 * @param webhooks undefined if the gateway delivers none
 */
export function configInfo(webhooks: Pick<WebhookSettings, 'maxTries' | 'timeoutMs'> | undefined) {
  return {
    maintenance_mode: false,
    enable_wait_result: true,
    enable_compiler_options: true,
    allowed_languages_for_compile_options: Object.values(JUDGE0_LANGUAGES).flatMap(
      ({ title, compilerOptions }) => (compilerOptions ? [title] : []),
    ),
    enable_command_line_arguments: true,
    enable_submission_delete: false,
    enable_callbacks: webhooks !== undefined,
    callbacks_max_tries: webhooks?.maxTries ?? 0,
    callbacks_timeout: (webhooks?.timeoutMs ?? 0) / 1000,
    enable_additional_files: true,
    max_queue_size: 100_000,
    cpu_time_limit: DEFAULTS.cpuSeconds,
    max_cpu_time_limit: MAXIMA.cpu_time_limit,
    cpu_extra_time: 0,
    max_cpu_extra_time: MAXIMA.cpu_extra_time,
    wall_time_limit: DEFAULTS.wallSeconds,
    max_wall_time_limit: MAXIMA.wall_time_limit,
    memory_limit: MAXIMA.memory_limit,
    max_memory_limit: MAXIMA.memory_limit,
    stack_limit: MAXIMA.stack_limit,
    max_stack_limit: MAXIMA.stack_limit,
    max_processes_and_or_threads: MAXIMA.max_processes_and_or_threads,
    max_max_processes_and_or_threads: MAXIMA.max_processes_and_or_threads,
    enable_per_process_and_thread_time_limit: false,
    allow_enable_per_process_and_thread_time_limit: false,
    enable_per_process_and_thread_memory_limit: false,
    allow_enable_per_process_and_thread_memory_limit: false,
    max_file_size: DEFAULTS.fileKb,
    max_max_file_size: MAXIMA.max_file_size,
    number_of_runs: 1,
    max_number_of_runs: MAXIMA.number_of_runs,
    redirect_stderr_to_stdout: false,
    max_extract_size: MAX_FILES_BYTES / 1024,
    enable_batched_submissions: true,
    max_submission_batch_size: MAX_BATCH,
    submission_cache_duration: 0,
    use_docs_as_homepage: false,
    allow_enable_network: false,
    enable_network: false,
  }
}
