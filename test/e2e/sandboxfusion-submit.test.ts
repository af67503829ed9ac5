import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

/** Every nth row is judged; other specs judge whole data sets. */
const EVERY = Number(process.env['TEST_DATA_EVERY'] ?? 40)

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0, env: { ISOPOD_SLOTS: '2' } })
  ;[gateway] = await Promise.all([
    startTestGateway(world, { ISOPOD_GATEWAY_DROP_INS: 'sandboxfusion' }),
    world.addWorker(),
  ])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

// biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
async function submit(body: object): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${gateway.url}/submit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

const fenced = (code: string, language = 'python') =>
  `Here it is:\n\n\`\`\`${language}\n${code}\n\`\`\`\n\nIt works.`

// promise: drop-in-sandboxfusion
describe.concurrent('CommonOJDataset', () => {
  const config = { language: 'python', locale: 'en', run_timeout: 5, dataset_type: 'CommonOJDataset' }
  const test = ['1', '2', '3'].map((text) => ({ input: { stdin: text }, output: { stdout: text } }))
  const ask = (completion: string, more: object = {}, row: object = {}) =>
    submit({
      ...{ dataset: 'ours', id: 0, completion },
      config: { ...config, provided_data: { id: 0, content: '', labels: {}, test, ...row }, ...more },
    })

  it('accepts a completion whose output is the expected one', async () => {
    const { status, body } = await ask(fenced('a = int(input())\nprint(a)'))
    expect(status).toBe(200)
    const exec_info = {
      ...{ status: 'Success', message: '', compile_result: null, executor_pod_name: expect.any(String) },
      run_result: {
        ...{ status: 'Finished', execution_time: expect.any(Number), return_code: 0 },
        ...{ stdout: null, stderr: null },
      },
      files: {},
    }
    expect(body).toEqual({
      ...{ id: 0, accepted: true, extracted_code: 'a = int(input())\nprint(a)\n', full_code: null },
      ...{ test_code: null, tests: Array(3).fill({ passed: true, exec_info, test_info: null }) },
      ...{ extracted_type: 'fenced', extra: null },
    })
  })

  it('ends at the first test that fails, unless the request asks for all', async () => {
    const completion = fenced('print(1)')
    const verdicts = async (extra: object) => (await ask(completion, { extra })).body.tests.map(passed)
    expect(await verdicts({})).toEqual([true, false])
    expect(await verdicts({ run_all_cases: true })).toEqual([true, false, false])
  })

  it('takes input files, and ignores white space, case and the last digits of numbers', async () => {
    const one = { input: { stdin: '', 'in.txt': '2' }, output: { stdout: 'YES\n1.41421356\n' } }
    const code = 'print(" yes "); print(float(open("in.txt").read()) ** 0.5)'
    expect((await ask(fenced(code), {}, { test: JSON.stringify([one]) })).body.accepted).toBe(true)
  })

  it('reports errors, limits and compilers', async () => {
    const late = await ask(fenced('while True: pass'), { run_timeout: 0.5 })
    expect(late.body).toMatchObject({
      accepted: false,
      tests: [
        { passed: false, exec_info: { status: 'Failed', run_result: { status: 'TimeLimitExceeded' } } },
      ],
    })
    const wrong = await ask(fenced('raise SystemExit(3)'))
    expect(wrong.body.tests).toMatchObject([
      { exec_info: { status: 'Failed', run_result: { return_code: 3 } } },
    ])
    const broken = await ask(fenced('int main(', 'cpp'), { language: 'cpp' })
    expect(broken.body).toMatchObject({
      accepted: false,
      tests: [{ exec_info: { status: 'Failed', compile_result: { return_code: 1 }, run_result: null } }],
    })
  })
})

const passed = (test: { passed: boolean }) => test.passed

// promise: drop-in-sandboxfusion
describe.concurrent('AutoEvalDataset', () => {
  const ask = (completion: string, test: object, more: object = {}) =>
    submit({
      ...{ dataset: 'ours', id: 'a', completion },
      config: {
        dataset_type: 'AutoEvalDataset',
        provided_data: { id: 'a', labels: { programming_language: 'python', ...more }, test },
      },
    })

  it('runs the tests after the code without its main part, with the assets as files', async () => {
    const code = 'def twice(n):\n    return 2 * n\n\nif __name__ == "__main__":\n    raise SystemExit(1)'
    const test = {
      code: 'assert twice(int(open("n.txt").read())) == 4',
      asset: { 'n.txt': Buffer.from('2').toString('base64') },
    }
    expect((await ask(fenced(code), test)).body).toMatchObject({ accepted: true })
    expect((await ask(fenced(code.replace('2 * n', 'n')), test)).body).toMatchObject({
      accepted: false,
      tests: [{ passed: false, exec_info: { status: 'Failed', run_result: { return_code: 1 } } }],
    })
    // The exit code alone would accept this program.
    expect((await ask(fenced(`${code.split('\n\n')[0]}\nexit(0)`), test)).body.accepted).toBe(false)
  })

  it('inserts the code at the place that the tests mark', async () => {
    const test = { code: 'query = """#<INSERT>"""\nassert query.strip() == "SELECT 1"' }
    const labels = { programming_language: 'sql', execution_language: 'python' }
    expect((await ask(fenced('SELECT 1', 'sql'), test, labels)).body.accepted).toBe(true)
    expect((await ask(fenced('SELECT 2', 'sql'), test, labels)).body.accepted).toBe(false)
  })
})

function rows(name: string): Record<string, string>[] {
  const lines = gunzipSync(readFileSync(new URL(`../data/${name}.jsonl.gz`, import.meta.url))).toString()
  const all = lines.trim().split('\n')
  return all.filter((_, index) => index % EVERY === 0).map((line) => JSON.parse(line))
}

// promise: drop-in-sandboxfusion
describe.concurrent('rows of the data sets themselves', () => {
  const accepted = async (body: object) => (await submit(body)).body.accepted

  it('of HumanEval accept the reference as a body and as a whole program, and refuse a wrong solution', async () => {
    for (const row of rows('HumanEval')) {
      const { prompt, canonical_solution: body, entry_point, test, task_id: id } = row
      // The fields have the names of SandboxFusion's tables.
      const provided_data = { id, content: prompt, test, labels: JSON.stringify({ entry_point }) }
      const request = { dataset: 'humaneval_python', id, config: { provided_data, run_timeout: 10 } }
      expect(await accepted({ ...request, completion: body }), id).toBe(true)
      const asPublished = { ...request, config: { provided_data: row, extra: { is_freeform: true } } }
      const whole = { ...asPublished, completion: fenced(`${prompt}${body}`) }
      expect(await accepted(whole), id).toBe(true)
      expect(await accepted({ ...request, completion: '    return "wrong"\n' }), id).toBe(false)
    }
  })

  it('of MBPP accept the reference, and refuse code that does nothing', async () => {
    for (const row of rows('mbpp').filter((_, index) => index % 4 === 0)) {
      const { text, code, test_list: test, test_setup_code, task_id: id } = row
      const provided_data = [{ id, content: text, test, labels: { test_setup_code } }]
      const request = { dataset: 'mbpp', id, config: { provided_data, dataset_type: 'MBPPDataset' } }
      expect(await accepted({ ...request, completion: fenced(code ?? '') }), id).toBe(true)
      expect(await accepted({ ...request, completion: 'pass' }), id).toBe(false)
    }
  })
})

// promise: drop-in-sandboxfusion
it('a completion without code is not accepted, and nothing runs', async () => {
  const config = { provided_data: { test: ['assert True'] } }
  const { body } = await submit({ dataset: 'mbpp', id: 7, completion: '```python\n```', config })
  expect(body).toMatchObject({ id: 7, accepted: false, tests: [], extracted_type: 'empty' })
})
