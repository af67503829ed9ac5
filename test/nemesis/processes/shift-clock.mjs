// Preloaded into a process (`node --import`): shifts its wall clock by CHAOS_CLOCK_SHIFT_MS. With CHAOS_CLOCK_SWING_MS the clock
// also jumps between that much ahead and that much behind, every second.
const shift = Number(process.env.CHAOS_CLOCK_SHIFT_MS ?? 0)
const swing = Number(process.env.CHAOS_CLOCK_SWING_MS ?? 0)
const RealDate = Date
const realNow = RealDate.now.bind(RealDate)

function shiftedNow() {
  const real = realNow()
  return real + shift + (Math.floor(real / 1000) % 2 === 0 ? swing : -swing)
}

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(shiftedNow())
    else super(...given)
  }

  static now() {
    return shiftedNow()
  }
}
