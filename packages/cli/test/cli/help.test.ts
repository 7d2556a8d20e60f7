import { readFileSync } from 'node:fs'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { citation } from '@turnwise/algorithms/references'
import { get } from '@turnwise/core/bounds'
import { FAULT_FORMS } from '@turnwise/core/faults'
import { listOptions } from '@turnwise/core/options'
import { STRUCTURE_FORMS } from '@turnwise/core/structure/structure-from-text'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal } from './in-process.ts'

const COMMANDS = ['tour', 'algorithms', 'explain', 'simulate', 'elect', 'compare', 'prove', 'replay']

describe('help', () => {
  test.each(['--help', '-h', 'help'])('turnwise %s lists the commands', async (line) => {
    const { code, out, err } = await command(line)
    expect({ code, err }).toEqual({ code: 0, err: [] })
    for (const name of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
    // What most people come for is first, and every command is below one of the two headings.
    expect(out).toMatch(
      /\nLocks between processes:\n {2}up .*\n {2}lock .*\nAlgorithms:\n {2}tour .*\nCommands:\n {2}help \[command\] +print the help of a command$/s,
    )
  })

  test.each(COMMANDS)('%s --help, and help in front of it, tell its usage', async (name) => {
    const after = await command(`${name} --help`)
    expect({ code: after.code, err: after.err }).toEqual({ code: 0, err: [] })
    expect(after.out).toMatch(new RegExp(`^Usage: turnwise ${name}`))
    expect(await command(`help ${name}`)).toEqual(after)
  })

  test('of a command below another, and of none', async () => {
    expect(await command('help structure design')).toEqual(await command('structure design --help'))
    await expectRefusal(
      'help foo',
      '"foo" is not a command: up, lock, lead, status, locks, node, metrics, keys, audit, tour, algorithms, explain, simulate, elect, compare, check, exercise, grade, prove, replay, quorum, structure',
    )
    await expectRefusal('help structure foo', '"foo" is not a command: validate, metrics, show, design')
    await expectRefusal('help check foo', '"foo" is not a command, check has none below it')
  })

  test('--structure names every form', async () => {
    const text = (await command('simulate --help')).out.replaceAll(/\s+/g, ' ')
    expect(text).toContain(STRUCTURE_FORMS)
  })

  test.each(['simulate', 'compare'])('%s --help names every form of a fault and of a load', async (name) => {
    const { out } = await command(`${name} --help`)
    const text = out.replaceAll(/\s+/g, ' ')
    for (const { form } of Object.values(FAULT_FORMS)) expect(text).toContain(form)
    for (const form of ['light', 'heavy', 'poisson:RATE', 'closed:THINK', 'hot:W0,W1,…']) {
      expect(text).toContain(form)
    }
  })

  test('simulate --help tells the exit codes', async () => {
    const { out } = await command('simulate --help')
    expect(out).toContain('Exit code: 0 no judge found a violation, 1 one did, 2 bad input.')
  })

  test('the examples in the help run', async () => {
    const examples: string[] = []
    for (const name of COMMANDS) {
      const { out } = await command(`${name} --help`)
      examples.push(...[...out.matchAll(/^ {2}turnwise (.+)$/gm)].map(([, line = '']) => line))
    }
    // What writes a file or takes long is left to those who read it; prove.test.ts runs these two proofs.
    const quick = examples.filter(
      (line) => !/--trace|--plot|--nodes 1000|^prove ricart-agrawala(-without-tie-break)?$/.test(line),
    )
    expect(quick.length).toBeGreaterThan(2)
    for (const line of quick) {
      const short = /^(elect|prove)\b/.test(line) ? line : `${line} --entries 20`
      expect((await command(short)).code).toBeLessThan(2)
    }
  })
})

test('--version is that of the package', async () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  expect(await command('--version')).toEqual({ code: 0, out: version, err: [] })
})

describe('algorithms', () => {
  test('lists the catalogue, a line each', async () => {
    const { code, out } = await command('algorithms')
    expect(code).toBe(0)
    const [head, ...rows] = out.split('\n')
    expect(head).toMatch(/^algorithm +year +family +topology +channels +messages per entry +delay/)
    ;[...catalogue, ...elections].forEach(({ facts }, i) => {
      expect(rows[i]?.split(/ {2,}/).slice(0, 3)).toEqual([facts.name, String(facts.year), facts.family])
      expect(rows[i]).toContain(facts.messages.formula)
    })
    expect(rows.at(-1)).toBe(
      `${catalogue.length} algorithms and ${elections.length} elections, whose messages are per election. turnwise explain NAME explains one; turnwise algorithms --broken lists variants that fail.`,
    )
  })
})

describe('explain', () => {
  test.each(catalogue.map((algorithm) => [algorithm.facts.name, algorithm] as const))(
    '%s: idea, needs, cost, options, and a command to go on with',
    async (name, { facts, options }) => {
      const { code, out, err } = await command(`explain ${name}`)
      expect({ code, err }).toEqual({ code: 0, err: [] })
      expect(out.split('\n')[0]).toBe(`${facts.title} (${facts.year}), ${facts.family}`)
      expect(out.replaceAll('\n', ' ')).toContain(facts.idea)
      expect(out).toContain(facts.messages.formula)
      for (const source of facts.sources) expect(out).toContain(citation(source))
      for (const [option, { about }] of listOptions(options)) {
        expect(out).toContain(`--set ${option}=`)
        expect(out).toContain(about)
      }
      const [simulate = '', check = ''] = out.split('\n').slice(-2)
      expect(simulate).toMatch(
        new RegExp(`^turnwise simulate ${name} --nodes 5 --load heavy( --resources 8 --take 2)?$`),
      )
      expect((await command(`${simulate.slice('turnwise '.length)} --entries 30`)).code).toBe(0)
      expect(check).toMatch(new RegExp(`^turnwise check ${name}( --timing bounded)?$`))
      const verdict = facts.knownToFail === undefined ? 0 : 1
      if (facts.knownToFail !== undefined) expect(out).toContain(facts.knownToFail.when)
      expect((await command(`${check.slice('turnwise '.length)} --nodes 2`)).code).toBe(verdict)
    },
  )
})

test('the tour shows a run, all algorithms, a broken assumption and the way on', async () => {
  const { code, out, err } = await command('tour')
  expect({ code, err }).toEqual({ code: 0, err: [] })
  expect(out).toContain('ricart-agrawala, 3 nodes, seed 1')
  for (const { facts } of catalogue) expect(out).toMatch(new RegExp(`^${facts.name} +9 +heavy`, 'm'))
  // The command it recommends does what the text says.
  const broken = get(/^ {2}turnwise (simulate lamport .*)$/m.exec(out) ?? [], 1)
  expect(await command(broken)).toMatchObject({ code: 1, out: expect.stringContaining('inside together') })
})
