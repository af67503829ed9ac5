export { type Catalogue, compileCatalogue, createCatalogue, DEFAULT_CATALOGUE_PATH } from './catalogue.ts'
export { fillPrograms, programPath, type ReadProgram } from './named-programs.ts'
