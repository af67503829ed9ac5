export { type Catalogue, compileCatalogue, createCatalogue, DEFAULT_CATALOGUE_PATH } from './catalogue.ts'
