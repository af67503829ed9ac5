import { startPoll } from './activity/poll.ts'
import { type QueueNumbers, showQueue } from './activity/queue-panel.ts'
import { type RecentExecution, showRecent } from './activity/recent.ts'
import { callJson } from './parts/api.ts'
import { byId, element } from './parts/dom.ts'
import { createKeyDialog } from './parts/key-dialog.ts'
import { createLanguagePicker } from './parts/languages.ts'
import { createNotice } from './parts/notice.ts'
import { startTheme } from './parts/theme.ts'
import { draft } from './run/draft.ts'
import { createEditor } from './run/editor.ts'
import { examplesOf } from './run/examples.ts'
import { createJobForm } from './run/job-form.ts'
import { createWorkbench } from './run/workbench.ts'

const RECENT = 12

startTheme()
const notice = createNotice(() => keyDialog)
const form = createJobForm()
const workbench = createWorkbench({ form, notice, onChange: () => poll.now() })
const editor = createEditor(byId('editor', HTMLElement), run)
const examples = byId('example', HTMLSelectElement)
const picker = createLanguagePicker(showLanguage)
const connection = byId('connection', HTMLElement)
let isLoaded = false

/** Unsaved programs of the other languages. */
const drafts = new Map<string, string>()
let chosen = ''

const poll = startPoll(
  async () => {
    if (!isLoaded) await picker.load()
    isLoaded = picker.value !== ''
    const list = `/v1/executions?limit=${RECENT}&details=true`
    const [queue, { executions }] = await Promise.all([
      callJson<QueueNumbers>('/v1/queue'),
      callJson<{ executions: RecentExecution[] }>(list),
    ])
    showQueue(queue)
    showRecent(executions)
    connection.hidden = true
  },
  (error) => {
    if (keyDialog.openFor(error, true)) return
    connection.textContent = error instanceof Error ? error.message : String(error)
    connection.hidden = false
  },
)

const keyDialog = createKeyDialog(() => {
  isLoaded = false
  poll.now()
  openFromAddress()
})

function run(): void {
  if (picker.value !== '') void workbench.run(form.job(picker.value, editor.text))
}

function showLanguage(language: string): void {
  if (chosen !== '') drafts.set(chosen, editor.text)
  chosen = language
  const offered = examplesOf(language)
  examples.replaceChildren(...offered.map(({ title }, index) => element('option', { value: index }, title)))
  editor.setLanguage(language)
  const unsaved = drafts.get(language) ?? draft.of(language)
  if (unsaved === undefined) showExample()
  else editor.replace(unsaved)
}

function showExample(): void {
  const example = examplesOf(picker.value)[Number(examples.value)]
  if (example === undefined) return
  editor.replace(example.code)
  form.fill(example)
}

function openFromAddress(): void {
  const [, id] = /^#\/executions\/([^/]+)$/.exec(location.hash) ?? []
  if (id !== undefined) workbench.open(decoded(id))
}

/** Decodes an id. An invalid encoding is used unchanged: there is no such execution. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

examples.addEventListener('change', showExample)
byId('run', HTMLButtonElement).addEventListener('click', run)
byId('stop', HTMLButtonElement).addEventListener('click', () => void workbench.stop())
byId('skip', HTMLAnchorElement).addEventListener('click', (event) => {
  event.preventDefault()
  editor.focus()
})
addEventListener('hashchange', openFromAddress)
addEventListener('pagehide', () => {
  if (chosen !== '') draft.keep({ language: chosen, code: editor.text })
})
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) run()
})
openFromAddress()
if (/Mac|iP/.test(navigator.platform)) byId('run-key', HTMLElement).textContent = '⌘ ⏎'
