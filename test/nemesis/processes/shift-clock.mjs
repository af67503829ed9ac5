// Preloaded into a process (`node --import`): its wall clock is wrong by CHAOS_CLOCK_SHIFT_MS. With CHAOS_CLOCK_SWING_MS it also jumps
// between that much ahead and that much behind, every second. With CHAOS_CLOCK_WAITS it is right until SIGUSR2, and again after the
// next one.
const shift = Number(process.env.CHAOS_CLOCK_SHIFT_MS ?? 0)
const swing = Number(process.env.CHAOS_CLOCK_SWING_MS ?? 0)
let isWrong = !process.env.CHAOS_CLOCK_WAITS
const RealDate = Date
const realNow = RealDate.now.bind(RealDate)

process.on('SIGUSR2', () => {
  isWrong = !isWrong
})

function shiftedNow() {
  const real = realNow()
  return isWrong ? real + shift + (Math.floor(real / 1000) % 2 === 0 ? swing : -swing) : real
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
