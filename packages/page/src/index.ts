import { fileURLToPath } from 'node:url'

/** The folder with the built page: `index.html`, and `assets/` with hashed names. */
export const PAGE_FOLDER = fileURLToPath(new URL('./static', import.meta.url))
