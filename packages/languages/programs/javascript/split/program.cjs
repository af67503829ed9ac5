// How the code and the script become programs.
const { Script, runInThisContext, createContext, constants } = require('node:vm')

/** The directive of strict code. */
const STRICT = 'use strict'
/** Before a name that has a value only when it is read. */
const COMPUTED = 'get '
const DIRECTIVE = /^(?:#![^\n]*\n)?(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(['"])use strict\1/

/** A program without its types, if its file is one of TypeScript. */
function translated(text, file) {
  return process.features.typescript && file.endsWith('.ts')
    ? require('node:module').stripTypeScriptTypes(text, { mode: 'transform' })
    : text
}

/** Compiles a program as the file of that name. */
function compile(text, filename) {
  return new Script(text, { filename, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })
}

/** Those of some names that a program declares at its top level. Executes nothing of it. */
function declaredBy(text, isStrict, names) {
  const context = createContext(constants.DONT_CONTEXTIFY)
  for (const key of ownKeys(context)) deleteProperty(context, key)
  const fixed = new Set(ownKeys(context))
  try {
    // Variables are declared before the first statement runs.
    new Script(`${isStrict ? `'${STRICT}';` : ''}throw 0;${text.replace(/^#!/, '//')}`).runInContext(context)
  } catch {}
  const isFree = (name) => {
    try {
      // Throws if there is a variable of `let`, `const` or `class`.
      new Script(`var ${name}`).runInContext(context)
      return true
    } catch {
      return false
    }
  }
  const declared = new Set(ownKeys(context).filter((key) => !fixed.has(key)))
  return names.filter((name) => declared.has(name) || !isFree(name))
}

/** Defines the variables of a module as globals, where a program without a function around it finds them. */
function defineModule(given) {
  for (const key of Object.keys(given)) {
    defineProperty(globalThis, key, { value: given[key], writable: true, configurable: true, enumerable: false })
  }
}
