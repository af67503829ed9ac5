import type { DemoJob, Expectation } from './expectation.ts'

const PASSED: Expectation = { status: 'success', exitCode: 0, stdout: 'all tests passed\n', stderr: '' }
const FAILED: Expectation = {
  status: 'execution_error',
  exitCode: 1,
  stdout: '',
  stderr: /AssertionError: median\(\[3, 1, 2\]\) gave 1\n$/,
}

const GCD = `
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
`
const GCD_TESTS = `
assert gcd(12, 18) == 6
assert gcd(17, 5) == 1
assert gcd(0, 9) == 9
`

const ROMAN = `
def roman(number):
    steps = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
             (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    text = ""
    for value, sign in steps:
        text += sign * (number // value)
        number %= value
    return text
`
const ROMAN_TESTS = `
assert roman(1994) == "MCMXCIV"
assert roman(8) == "VIII"
assert roman(49) == "XLIX"
`

const ANAGRAMS = `
def anagrams(words):
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(word)), []).append(word)
    return [group for group in groups.values() if len(group) > 1]
`
const ANAGRAMS_TESTS = `
assert anagrams(["tea", "eat", "ice", "ate"]) == [["tea", "eat", "ate"]]
assert anagrams([]) == []
assert anagrams(["ab", "ba", "cd", "dc"]) == [["ab", "ba"], ["cd", "dc"]]
`

// Forgets to sort; the tests must notice.
const MEDIAN = `
def median(values):
    return values[len(values) // 2]
`
const MEDIAN_TESTS = `
found = median([3, 1, 2])
assert found == 2, f"median([3, 1, 2]) gave {found}"
`

/** Solutions of small problems with the tests that grade them: three are correct, one is wrong. */
export const GRADED_JOBS: readonly DemoJob[] = [
  graded('graded gcd', GCD, GCD_TESTS, PASSED),
  graded('graded numerals', ROMAN, ROMAN_TESTS, PASSED),
  graded('graded anagrams', ANAGRAMS, ANAGRAMS_TESTS, PASSED),
  graded('graded median, wrong', MEDIAN, MEDIAN_TESTS, FAILED),
]

function graded(name: string, answer: string, tests: string, expect: Expectation): DemoJob {
  return { name, job: { language: 'python', code: `${answer}${tests}print("all tests passed")\n` }, expect }
}
