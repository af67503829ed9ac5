/** First and last code point of each range, taken from the Unicode charts and not from the code under test. */
const RANGES: readonly (readonly [number, number])[] = [
  // C0 without tab and newline, DEL, C1.
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  // Bidi controls.
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  // Characters without width or shape.
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200d],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  // Tags and further variation selectors.
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
  // Line and paragraph separators, some surrogates, and noncharacters.
  [0x2028, 0x2029],
  [0xd800, 0xd801],
  [0xdffe, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfffe, 0xffff],
  [0x10fffe, 0x10ffff],
]

/** Every code point that must be escaped on terminals and pages. */
export const DECEPTIVE_CODE_POINTS: readonly number[] = RANGES.flatMap(([from, to]) =>
  Array.from({ length: to - from + 1 }, (_, offset) => from + offset),
)
