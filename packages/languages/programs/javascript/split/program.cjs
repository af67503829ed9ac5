// How the code and the script become programs.
const { Script, runInThisContext, constants } = require('node:vm')

/** The directive of strict code. */
const STRICT = 'use strict'
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

/** Defines the variables of a module as globals, where a program without a function around it finds them. */
function defineModule(given) {
  for (const key of Object.keys(given)) {
    defineProperty(globalThis, key, { value: given[key], writable: true, configurable: true, enumerable: false })
  }
}
