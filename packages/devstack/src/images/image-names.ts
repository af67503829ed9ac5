import { type ImageRecipe, RECIPES } from './image-recipes.ts'

/** Name of a language image. TypeScript runs in `javascript`. */
export type ImageName = keyof typeof RECIPES

/** Names of all language images. */
export const IMAGE_NAMES = Object.keys(RECIPES) as ImageName[]

/** Tags of the language images. */
export const IMAGES = Object.fromEntries(
  IMAGE_NAMES.map((name) => [name, `isopod/${name}:${RECIPES[name].version}`]),
) as Readonly<Record<ImageName, string>>

/** The images that set-up builds, the slowest first; others are built on request. */
export const USUAL_IMAGES = ['python', 'c', 'javascript', 'bash'] as const satisfies readonly ImageName[]

/** The recipe of an image. */
export function recipeOf(name: ImageName): ImageRecipe {
  return RECIPES[name]
}

/** The language image that another one is based on; undefined for Debian. */
export function parentOf(name: ImageName): ImageName | undefined {
  const { on } = recipeOf(name)
  return on !== undefined && isImageName(on) ? on : undefined
}

/** Whether a word is the name of a language image. */
export function isImageName(word: string): word is ImageName {
  return Object.hasOwn(RECIPES, word)
}
