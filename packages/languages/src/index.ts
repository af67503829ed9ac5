export { type Catalogue, createCatalogue } from './catalogue.ts'
export { DEFAULT_CATALOGUE_PATH, loadCatalogue, MAX_CATALOGUE_BYTES } from './load.ts'
