import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { standingAlone } from '@turnwise/workshop/own-algorithm'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch } from './in-process.ts'

const files = scratch()
const template = readFileSync(new URL('../../../algorithms/src/template.ts', import.meta.url), 'utf8')
const ofClone = (path: string) => fileURLToPath(new URL(`../../../algorithms/${path}`, import.meta.url))

describe('check takes a file', () => {
  test('of a clone, with neighbours', async () => {
    const { code, out } = await command('check <file> --nodes 2', ofClone('src/token/raymond-piggyback.ts'))
    expect({ code, head: out.split('\n')[0] }).toEqual({
      code: 0,
      head: 'raymond-piggyback  2 nodes, tree:2, unordered channels, 1 request of each node',
    })
  })

  test('of a broken variant', async () => {
    const path = ofClone('broken/ricart-agrawala-without-tie-break.ts')
    const { code, out } = await command('check <file> --nodes 2', path)
    expect(code).toBe(1)
    expect(out).toContain('A shortest run against exclusion')
  })

  test('with the change that the README names', async () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
    const named = /\]\(packages\/algorithms\/(\S+)\),\s+change\s+`([^`]+)`\s+to\s+`([^`]+)`/.exec(readme)
    const [, file = '', before = '', after = ''] = named ?? []
    const text = readFileSync(ofClone(file), 'utf8')
    // A reader who searches for it finds one place.
    expect(text.split(before)).toHaveLength(2)
    const changed = standingAlone(text.replace(before, after), 'src/permission')
    const { code, out } = await command('check <file> --nodes 2', files.write('changed.ts', changed))
    expect(code).toBe(1)
    expect(out).toContain('6.000  █              █    VIOLATION exclusion: nodes 0, 1 are inside together')
  })

  test('anywhere', async () => {
    const path = files.write('mine.ts', template.replaceAll("'template'", "'mine'"))
    const { code, out } = await command('check <file> --nodes 1', path)
    expect({ code, name: out.split('  ')[0] }).toEqual({ code: 0, name: 'mine' })
  })

  test('what is wrong with it is one line', async () => {
    await expectRefusal('check ./nothing.ts', 'cannot read "./nothing.ts": no such file or directory')
    const wrong = files.write('wrong.ts', 'const a = 1\nconst a = 2')
    await expectRefusal('check <file>', "<file>: line 2: Identifier 'a' has already been declared", wrong)
    const throws = files.write('throws.ts', template.replace('node.inside = true', 'node.nothing.length = 1'))
    const line = template.split('\n').findIndex((each) => each.includes('node.inside = true')) + 1
    await expectRefusal(
      'check <file> --nodes 1',
      `<file>: line ${line}: TypeError: Cannot set properties of undefined (setting 'length')`,
      throws,
    )
  })
})
