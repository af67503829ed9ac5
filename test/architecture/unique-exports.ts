const EXPORTS =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) (?<name>\w+)/gm

/** Names that a file declares and exports, without re-exports. */
export function declaredExports(text: string): string[] {
  return [...new Set([...text.matchAll(EXPORTS)].map(({ groups }) => groups?.['name'] ?? ''))]
}

/** Names that several files export, one sentence each. A name must mean one thing in the whole repository. */
export function findDuplicateExports(files: ReadonlyMap<string, string>): string[] {
  const declared = [...files].flatMap(([file, text]) => declaredExports(text).map((name) => ({ file, name })))
  return [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: is exported by ${places.map(({ file }) => file).join(' and ')}`)
}
