import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { syntaxOf } from './syntax.ts'

const LABEL = 'Program. Tab indents; to leave the editor press Escape, then Tab.'

/** The code editor. */
export interface Editor {
  /** The text of the editor. */
  readonly text: string
  replace(text: string): void
  focus(): void
  /** Sets the language of the syntax highlighting. */
  setLanguage(language: string): void
}

/**
 * Creates the editor in a shadow root. There its styles are constructed style sheets, which the page's policy allows; in the
 * document it would add `style` elements.
 *
 * @param onRun runs at Ctrl+Enter or Cmd+Enter
 */
export function createEditor(host: HTMLElement, onRun: () => void): Editor {
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true })
  const syntax = new Compartment()
  let wanted = ''
  const run = () => {
    onRun()
    return true
  }
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run, preventDefault: true }]),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSpecialChars(),
        EditorState.tabSize.of(4),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': LABEL, spellcheck: 'false', autocapitalize: 'off' }),
        placeholder('Write a program, then press Run.'),
        keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
        syntaxHighlighting(HIGHLIGHT),
        syntax.of([]),
        THEME,
      ],
    }),
  })
  return {
    get text() {
      return view.state.doc.toString()
    },
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    focus: () => view.focus(),
    setLanguage(language) {
      wanted = language
      syntaxOf(language).then((extension) => {
        // The user may have chosen another language while this one was loading.
        if (wanted === language) view.dispatch({ effects: syntax.reconfigure(extension) })
      })
    },
  }
}

/** Uses the page's colours: custom properties are inherited into the shadow root. */
const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'transparent', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.75rem 0' },
  '.cm-line': { padding: '0 0.75rem' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.25rem 0 0.75rem', minWidth: '2.25rem' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--row)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-specialChar': { color: 'var(--bad)' },
})

const HIGHLIGHT = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.controlKeyword, tags.modifier, tags.operatorKeyword],
    color: 'var(--syntax-keyword)',
  },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--syntax-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--syntax-number)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: 'var(--syntax-function)',
  },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--syntax-type)' },
])
