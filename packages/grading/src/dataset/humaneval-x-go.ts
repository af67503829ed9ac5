import type { Fields } from './record.ts'

/** Imports that the original grader adds where a completion uses them. */
const PACKAGES = {
  bytes: 'bytes.Equal',
  'crypto/md5': 'md5.Sum',
  fmt: 'fmt.Sprint',
  math: 'math.Abs',
  'math/rand': 'rand.Int',
  regexp: 'regexp.MatchString',
  sort: 'sort.Ints',
  strconv: 'strconv.Itoa',
  strings: 'strings.Fields',
  time: 'time.Now',
} as const

/** The package clause and the imports of the tests. */
export function goHeader(record: Fields): string {
  const clause = /^package\s+\w+/m.exec(record.textOr('test_setup', ''))?.[0] ?? 'package main'
  return `${clause}\n\nimport "testing"\nimport reflectOfTests "reflect"\n\n`
}

/** Imports for a completion, each of which is used, and the prompt without its own. */
export function goImports(record: Fields): string {
  const used = record.textOr('import', '')
  const all = record.text('prompt')
  const at = used === '' ? -1 : all.indexOf(used)
  const prompt = at === -1 ? all : `${all.slice(0, at)}${all.slice(at + used.length)}`
  const names = Object.keys(PACKAGES).map((name) => `import "${name}"\n`)
  const uses = Object.values(PACKAGES).map((name) => `var _ = ${name}\n`)
  return `${names.join('')}${uses.join('')}\n${prompt}`
}

/** The tests, with the assertions of testify that they use: the image has no packages of others. */
export function goScript(test: string): string {
  return `${ASSERTIONS}\n${test}`
}

const ASSERTIONS = `
type isopodAssert struct{ t *testing.T }

var assert isopodAssert

func (isopodAssert) New(t *testing.T) isopodAssert { return isopodAssert{t} }

func (a isopodAssert) holds(held bool, values ...interface{}) bool {
	if !held {
		a.t.Helper()
		a.t.Errorf("not all tests passed: %v", values)
	}
	return held
}

func (a isopodAssert) Equal(want, got interface{}, _ ...interface{}) bool {
	return a.holds(reflectOfTests.DeepEqual(want, got), want, got)
}

func (a isopodAssert) NotEqual(want, got interface{}, _ ...interface{}) bool {
	return a.holds(!reflectOfTests.DeepEqual(want, got), want, got)
}

func (a isopodAssert) True(got bool, _ ...interface{}) bool { return a.holds(got, got) }

func (a isopodAssert) False(got bool, _ ...interface{}) bool { return a.holds(!got, got) }

func (a isopodAssert) Nil(got interface{}, _ ...interface{}) bool {
	if got == nil {
		return true
	}
	value := reflectOfTests.ValueOf(got)
	switch value.Kind() {
	case reflectOfTests.Ptr, reflectOfTests.Slice, reflectOfTests.Map, reflectOfTests.Func, reflectOfTests.Chan:
		return a.holds(value.IsNil(), got)
	}
	return a.holds(false, got)
}

func (a isopodAssert) InDelta(want, got, delta float64, _ ...interface{}) bool {
	return a.holds(want-got <= delta && got-want <= delta, want, got)
}
`
