try {
  globalThis.input_data = JSON.parse(require('node:fs').readFileSync('/workspace/input.json', 'utf8'))
} catch (error) {
  // A child process, started after the program removed the file.
  if (error.code !== 'ENOENT') throw error
}
