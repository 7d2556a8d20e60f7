import { Program } from '@turnwise/fleet/program'
import { proofs } from '@turnwise/proof/proofs'
import { expect, test } from 'vitest'
import { INSTALLED } from '../../../../test/turnwise.ts'
import { command, expectRefusal } from './in-process.ts'

test('without a name it lists what can be proved', async () => {
  const { code, out, err } = await command('prove')
  expect({ code, err }).toEqual({ code: 0, err: [] })
  for (const { algorithm } of proofs) expect(out).toMatch(new RegExp(`^${algorithm.facts.name} `, 'm'))
})

test('a proof: the invariant, every step, and that nothing is left open', async () => {
  const { code, out, err } = await command('prove ricart-agrawala')
  expect({ code, err }).toEqual({ code: 0, err: [] })
  expect(out).toContain('assumed   messages are neither lost nor doubled')
  expect(out).toMatch(/^ {3}1 {2}only a node that asks awaits replies/m)
  for (const step of ['holds at first', 'asks', 'defers', 'leaves', 'implies the goals'])
    expect(out).toMatch(new RegExp(`^${step} +\\d+ clauses? +proved +[\\d,]+ ms$`, 'm'))
  expect(out.split('\n').at(-1)).toBe('proved: 55 questions, none left open')
})

test('a broken model: the step, the clause, and a small state in which it breaks', async () => {
  const { code, out } = await command('prove ricart-agrawala-without-tie-break')
  expect(code).toBe(1)
  expect(out).toContain('Broken by the step "replies": a node that has replied and asks comes later')
  expect(out).toMatch(/before \(2 nodes, \d numbers?\):\n {4}asks: 0, 1\n {4}ours: 0 → (\d), 1 → \1\n/)
  expect(out).toMatch(/step replies, with i = \d, j = \d, k = \d; after it:/)
  expect(out.split('\n').at(-1)).toBe('not proved: 1 of 55 questions')
})

test('as JSON, and as text for another prover', async () => {
  const report = JSON.parse((await command('prove ricart-agrawala --json')).out)
  expect(report).toMatchObject({ name: 'ricart-agrawala', proved: true, rule: null })
  expect(report.obligations).toHaveLength(55)
  const { out } = await command('prove ricart-agrawala --smt')
  expect(out.match(/^\(check-sat\)$/gm)).toHaveLength(55)
  expect(out).toMatch(/^\(declare-sort node 0\)\n/)
})

test('what cannot be proved is refused in one line', async () => {
  await expectRefusal(
    'prove ricart-agrawalla',
    'ALGORITHM: "ricart-agrawalla" is not an algorithm: did you mean ricart-agrawala? turnwise algorithms lists all',
  )
  await expectRefusal(
    'prove thomas-majority',
    'ALGORITHM: "thomas-majority" has no proof. "turnwise prove" lists the algorithms that have one',
  )
})

/** In the loader's own thread: there is no z3. */
const HOOK = `export async function resolve(name, context, next) {
  if (name === 'z3-solver') throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
  return next(name, context)
}`
const REGISTER = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(HOOK)}))`

test('without z3 one line says how to get it', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(REGISTER)}`
  const { code, out, err } = await new Program(['--import', hook, INSTALLED, 'prove', 'ricart-agrawala'])
    .ended
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err.trim()).toBe(
    'turnwise: a proof needs z3, which is not installed here: npm install z3-solver@4.16.0 (with -g beside a global turnwise)',
  )
})
