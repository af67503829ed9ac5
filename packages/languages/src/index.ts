export { type Catalogue, createCatalogue } from './catalogue.ts'
export { DEFAULT_CATALOGUE_PATH, loadCatalogue } from './load.ts'
export { MAX_DOCUMENT_BYTES, readDocument } from './read-document.ts'
