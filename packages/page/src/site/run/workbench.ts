import type { JobInput, Result } from '@isopod/protocol'
import { callJson, Refused } from '../parts/api.ts'
import { byId, element } from '../parts/dom.ts'
import { durationText } from '../parts/figures.ts'
import type { Notice } from '../parts/notice.ts'
import { type Follower, follow } from './follow.ts'
import { showGauges } from './gauges.ts'
import type { JobForm } from './job-form.ts'
import { createConsole } from './live-console.ts'
import { showFiles } from './result-files.ts'
import { showTimeSplit } from './time-split.ts'
import { createVerdict } from './verdict.ts'

/** Interval of the clock of a running execution, in milliseconds. */
const CLOCK_MS = 100

/** Runs programs and shows one execution. */
export interface Workbench {
  /** Submits a job and opens its execution. */
  run(job: JobInput): Promise<void>
  /** Shows an execution, and follows it if it is not finished. */
  open(id: string): void
  /** Cancels the execution that is shown. */
  stop(): Promise<void>
}

/** Dependencies of {@link createWorkbench}. */
export interface WorkbenchParts {
  readonly form: JobForm
  readonly notice: Notice
  /** Called after a change that the list of executions shows. */
  readonly onChange: () => void
}

/** Makes the workbench of the page. */
export function createWorkbench({ form, notice, onChange }: WorkbenchParts): Workbench {
  const runButton = byId('run', HTMLButtonElement)
  const stopButton = byId('stop', HTMLButtonElement)
  const figures = byId('figures', HTMLElement)
  const panel = byId('output', HTMLElement)
  const permalink = byId('permalink', HTMLElement)
  const output = createConsole()
  const verdict = createVerdict()
  let shown = { id: '', controller: new AbortController() }

  const setBusy = (isBusy: boolean) => {
    const hadFocus = document.activeElement === (isBusy ? runButton : stopButton)
    runButton.hidden = isBusy
    stopButton.hidden = !isBusy
    stopButton.disabled = false
    if (hadFocus) (isBusy ? stopButton : runButton).focus()
  }
  const finish = (result: Result) => {
    output.finish(result)
    verdict.result(result)
    showFiles(result)
    showTimeSplit(result)
    showGauges(result)
    figures.hidden = false
    onChange()
  }

  const workbench: Workbench = {
    async run(job) {
      if (runButton.hidden) return
      shown.controller.abort()
      notice.clear()
      form.showErrors([])
      output.clear()
      figures.hidden = true
      verdict.state('Submitting', 'busy')
      panel.scrollIntoView({ block: 'nearest' })
      setBusy(true)
      try {
        const { id } = await callJson<{ id: string }>('/v1/executions', { method: 'POST', body: job })
        location.hash = `#/executions/${id}`
        workbench.open(id)
        onChange()
      } catch (error) {
        setBusy(false)
        verdict.state('Not submitted', 'bad')
        output.clear('Nothing was run.')
        if (error instanceof Refused && error.errors.length > 0) {
          const left = form.showErrors(error.errors)
          notice.show(left.length > 0 ? left.join(' ') : 'The job was refused; see the marked fields.')
        } else notice.failure(error)
      }
    },

    open(id) {
      if (id === shown.id && !shown.controller.signal.aborted) return
      shown.controller.abort()
      const controller = new AbortController()
      shown = { id, controller }
      output.clear('Waiting for output.')
      figures.hidden = true
      const address = `#/executions/${encodeURIComponent(id)}`
      permalink.replaceChildren(element('a', { href: address, title: 'Link to this execution' }, id))
      verdict.state('Loading', 'busy')
      const clock = startClock((text) => verdict.detail(text), controller.signal)
      const follower: Follower = {
        waiting() {
          setBusy(true)
          verdict.state('Waiting', 'busy')
          clock.restart()
        },
        running() {
          setBusy(true)
          output.clear('Waiting for output.')
          verdict.state('Running', 'busy')
          clock.restart()
          notice.clear()
          onChange()
        },
        output: (stream, text) => output.append(stream, text),
        lost: (error) => notice.failure(error),
        finished(result) {
          clock.stop()
          notice.clear()
          finish(result)
        },
      }
      follow(id, follower, controller.signal)
        .catch((error: unknown) => {
          clock.stop()
          verdict.state('Not found', 'quiet')
          output.clear()
          notice.failure(error)
          // The user can open it again, for example with another key.
          controller.abort()
        })
        .finally(() => {
          if (shown.controller === controller) setBusy(false)
        })
    },

    async stop() {
      if (shown.id === '') return
      stopButton.disabled = true
      try {
        await callJson(`/v1/executions/${encodeURIComponent(shown.id)}`, { method: 'DELETE' })
      } catch (error) {
        stopButton.disabled = false
        notice.failure(error)
      }
    },
  }
  return workbench
}

interface Clock {
  restart(): void
  stop(): void
}

/** Shows the elapsed time of the current state. */
function startClock(show: (text: string) => void, signal: AbortSignal): Clock {
  let since: number | undefined
  const timer = setInterval(() => {
    if (since !== undefined) show(durationText(Math.round((performance.now() - since) / CLOCK_MS) * CLOCK_MS))
  }, CLOCK_MS)
  const stop = () => clearInterval(timer)
  signal.addEventListener('abort', stop)
  return {
    restart() {
      since = performance.now()
    },
    stop,
  }
}
