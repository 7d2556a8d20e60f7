import { describe, expect, test } from 'vitest'
import { brokenLinks } from '../scripts/site/links.ts'
import { pageOf } from '../scripts/site/markdown.ts'

const LAB: ReadonlySet<string> = new Set(['lab/index.html'])

describe('links', () => {
  const site = (body: string) =>
    new Map([
      ['index.html', body],
      ['docs/locks.html', '<h2 id="once">Once</h2><a href="../index.html">back</a>'],
    ])

  test.each([
    ['a page', '<a href="docs/locks.html">', []],
    ['a heading', '<a href="docs/locks.html#once">', []],
    ['the lab, whose address is its own', '<a href="lab/index.html#/theatre?nodes=3">', []],
    ['another host', '<a href="https://example.org/none.html#none">', []],
    [
      'no page',
      '<a href="docs/none.html">',
      ['index.html: the link "docs/none.html" leads nowhere: there is no docs/none.html'],
    ],
    [
      'no heading',
      '<a href="docs/locks.html#twice">',
      ['index.html: the link "docs/locks.html#twice" leads nowhere: docs/locks.html has no "twice"'],
    ],
    [
      'no heading of its own',
      '<a href="#none">',
      ['index.html: the link "#none" leads nowhere: index.html has no "none"'],
    ],
    ['no picture', '<img src="a.png">', ['index.html: the link "a.png" leads nowhere: there is no a.png']],
  ])('to %s', (_, body, complaints) => {
    expect(brokenLinks(site(body), LAB)).toEqual(complaints)
  })
})

test('headings have the names that GitHub gives them, and a search finds their words', () => {
  const text =
    '# A *b* `c-d`\n\nsome **words**\n\n## What\u2019s it: once, or twice?\n\n- one\n- `two`\n\n## Once\n\n## Once\n'
  const { title, body, contents, sections } = pageOf('a.html', text, (href) => href)
  expect(title).toBe('A b c-d')
  expect(contents.map(({ id }) => id)).toEqual(['whats-it-once-or-twice', 'once', 'once-1'])
  expect(body).toContain('<h2 id="once-1">Once</h2>')
  expect(sections.map(({ id, text: words }) => [id, words])).toEqual([
    ['', 'some words'],
    ['whats-it-once-or-twice', 'one two'],
    ['once', ''],
    ['once-1', ''],
  ])
})
