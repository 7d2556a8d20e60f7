/** The secret of a mesh: who gets in with it, and how what is said afterwards is sealed. */
import { byteAt, get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { FrameReader, joinFrames } from '../../src/transport/framing.ts'
import { type Acquaintance, Greeting, Reception, type Step } from '../../src/transport/greeting.ts'
import {
  type Introduction,
  readAnswer,
  readHello,
  readProof,
  type Terms,
  writeAnswer,
  writeHello,
  writeProof,
} from '../../src/transport/handshake.ts'
import { longestSealed, Seal } from '../../src/transport/seal.ts'
import { LONGEST_FRAME } from '../../src/transport/wiring.ts'
import { range } from './transport-contract.ts'

const SECRET = 'of all nodes of the mesh'
const trust = (secret: string | null) => ({ secret, seals: true })

const greeting = (secret: string | null, names: Partial<Introduction> = {}) =>
  new Greeting({ mesh: 'test', from: 'a', to: 'b', life: 'x', ...names }, trust(secret))
const reception = (
  secret: string | null,
  { mesh = 'test', id = 'b', terms = null }: { mesh?: string; id?: string; terms?: Terms | null } = {},
  knows: Partial<Acquaintance> = {},
) =>
  new Reception({ mesh, id, terms }, trust(secret), {
    isPeer: () => true,
    hasTwin: () => false,
    complaint: () => null,
    ...knows,
  })

/** Lets two sides speak until both have come to an end, or one says nothing more. */
function meet(dialler: Greeting, listener: Reception): { dialler: Step['end']; listener: Step['end'] } {
  const ends: { dialler: Step['end']; listener: Step['end'] } = { dialler: null, listener: null }
  let say: Uint8Array | null = dialler.first()
  while (say !== null) {
    const heard = listener.hear(Buffer.from(say))
    ends.listener ??= heard.end
    if (heard.say === null) return ends
    const answered = dialler.hear(Buffer.from(heard.say))
    ends.dialler ??= answered.end
    say = answered.say
  }
  return ends
}

describe('two sides of a handshake', () => {
  test('with one secret meet, and seal alike', () => {
    const { dialler, listener } = meet(greeting(SECRET), reception(SECRET))
    if (dialler === null || listener === null || 'refused' in dialler || 'refused' in listener) {
      throw new Error('they did not meet')
    }
    const frames = joinFrames([Buffer.from('one'), Buffer.from('two')])
    const sealed = get(framesOf(dialler.seals?.dialler.close([Buffer.from('one'), Buffer.from('two')])), 0)
    expect(listener.seals?.dialler.open(sealed)).toEqual(frames)
    const answer = get(framesOf(listener.seals?.listener.close([Buffer.from('one'), Buffer.from('two')])), 0)
    expect(dialler.seals?.listener.open(answer)).toEqual(frames)
    // What one side says is not what the other one would have said.
    expect(sealed).not.toEqual(answer)
  })

  test('without a secret meet, and seal nothing', () => {
    expect(meet(greeting(null), reception(null))).toEqual({
      dialler: { seals: null },
      listener: { seals: null },
    })
  })

  const others = [
    ['with different secrets', SECRET, `${SECRET}!`, '"a" and "b" have different secrets'],
    ['of which only the dialled has one', null, SECRET, '"b" requires a secret, but "a" has none'],
    ['of which only the dialler has one', SECRET, null, '"a" has a secret, but "b" has none'],
  ] as const
  for (const [what, ofDialler, ofListener, refused] of others) {
    test(`${what} do not meet, and both know why`, () => {
      expect(meet(greeting(ofDialler), reception(ofListener))).toEqual({
        dialler: { refused, reason: 'secret' },
        listener: { refused },
      })
    })
  }

  test('with other algorithms do not meet, and the one who dials learns of it when it has proved the secret', () => {
    const terms = (algorithm: string) => ({ algorithm, lease: 1000, drift: 0, voters: 'a, b' })
    const refused = '"a" uses the algorithm "lamport", but "b" uses "raymond"'
    for (const secret of [null, SECRET]) {
      const ends = meet(
        greeting(secret, { terms: terms('lamport') }),
        reception(secret, { terms: terms('raymond') }),
      )
      expect(ends).toEqual({ dialler: { refused, reason: 'algorithm' }, listener: { refused } })
    }
    const stranger = meet(
      greeting(`${SECRET}!`, { terms: terms('lamport') }),
      reception(SECRET, { terms: terms('raymond') }),
    )
    expect(stranger.dialler).toMatchObject({ reason: 'secret' })
  })
})

describe('of two processes with one name', () => {
  const twin = { refused: '"b" hears another process named "a"' }

  for (const secret of [null, SECRET]) {
    test(`the second is refused, ${secret === null ? 'without' : 'with'} a secret`, () => {
      const listener = reception(secret, {}, { hasTwin: ({ life }) => life === 'second' })
      const dialler = { ...twin, reason: 'twin' }
      expect(meet(greeting(secret, { life: 'second' }), listener)).toEqual({ dialler, listener: twin })
    })
  }

  test('nobody is doubted for what one says who does not know the secret', () => {
    let asked = 0
    const hasTwin = () => {
      asked += 1
      return true
    }
    meet(greeting(`${SECRET}!`), reception(SECRET, {}, { hasTwin }))
    meet(greeting(null), reception(SECRET, {}, { hasTwin }))
    expect(asked).toBe(0)
    meet(greeting(SECRET), reception(SECRET, {}, { hasTwin }))
    expect(asked).toBe(1)
  })
})

test('one that is no peer any more when it proves the secret is refused', () => {
  const peers = new Set(['a'])
  const [dialler, listener] = [greeting(SECRET), reception(SECRET, {}, { isPeer: (id) => peers.has(id) })]
  const { say } = listener.hear(Buffer.from(dialler.first()))
  const { say: proof } = dialler.hear(Buffer.from(say ?? []))
  peers.clear()
  expect(listener.hear(Buffer.from(proof ?? [])).end).toEqual({ refused: '"b" has no peer named "a"' })
})

describe('a stranger without the secret', () => {
  const wrong = { refused: '"a" and "b" have different secrets' }
  const unproved = { refused: 'the node that answers as "b" does not prove that it knows the secret' }

  /** A greeting that was challenged, with what it said. */
  function challenged(names: { mesh?: string; from?: string; to?: string } = {}, challenge = 'c'.repeat(64)) {
    const dialler = greeting(SECRET, names)
    const { say } = dialler.hear(Buffer.from(writeAnswer({ challenge })))
    return { dialler, hello: dialler.first(), proof: Buffer.from(say ?? []) }
  }

  test('gets in by no welcome that asks for nothing', () => {
    expect(greeting(SECRET).hear(Buffer.from(writeAnswer())).end).toEqual(unproved)
    expect(greeting(SECRET).hear(Buffer.from(writeAnswer({ proof: 'a'.repeat(64) }))).end).toEqual(unproved)
    expect(challenged().dialler.hear(Buffer.from(writeAnswer())).end).toEqual(unproved)
  })

  test('cannot hand a proof back to the one who made it', () => {
    const { dialler, proof } = challenged()
    const answer = writeAnswer({ proof: readProof(proof) })
    expect(dialler.hear(Buffer.from(answer)).end).toEqual(unproved)
    const hello = readHello(Buffer.from(challenged().hello))
    if ('reason' in hello || hello.challenge === null) throw new Error('no hello')
    // Nor let it answer its own challenge, by dialling it in return.
    const back = reception(SECRET, { id: 'a' })
    back.hear(
      Buffer.from(writeHello({ mesh: 'test', from: 'b', to: 'a', life: 'x', challenge: hello.challenge })),
    )
    expect(back.hear(proof).end).toEqual({ refused: '"b" and "a" have different secrets' })
  })

  test('cannot use what was said on an earlier connection', () => {
    const dialler = greeting(SECRET)
    const hello = Buffer.from(dialler.first())
    const earlier = reception(SECRET)
    const challenge = Buffer.from(earlier.hear(hello).say ?? [])
    const proof = Buffer.from(dialler.hear(challenge).say ?? [])
    const welcome = Buffer.from(earlier.hear(proof).say ?? [])
    expect(dialler.hear(welcome).end).not.toHaveProperty('refused')
    // The same words again, to a listener and to a dialler.
    const later = reception(SECRET)
    later.hear(hello)
    expect(later.hear(proof).end).toEqual(wrong)
    const again = greeting(SECRET)
    again.hear(challenge)
    expect(again.hear(welcome).end).toEqual(unproved)
  })

  test('cannot use what was said under another name, by another process, for something else, or in another mesh', () => {
    const others: Partial<Introduction>[] = [
      { mesh: 'other' },
      { from: 'c' },
      { to: 'c' },
      { life: 'y' },
      { channel: 'lease' },
      { terms: { algorithm: 'lamport', lease: 1000, drift: 0, voters: 'a' } },
    ]
    for (const names of others) {
      const dialler = greeting(SECRET, names)
      const value = dialler.hello.challenge
      const listener = reception(SECRET)
      const told = writeHello({ mesh: 'test', from: 'a', to: 'b', life: 'x', challenge: value })
      const { say } = listener.hear(Buffer.from(told))
      const { say: proof } = dialler.hear(Buffer.from(say ?? []))
      expect(listener.hear(Buffer.from(proof ?? [])).end).toEqual(wrong)
    }
  })

  test('gets nothing that depends on the secret by dialling', () => {
    const listener = reception(SECRET)
    const { say } = listener.hear(
      Buffer.from(writeHello({ mesh: 'test', from: 'a', to: 'b', life: 'x', challenge: 'f'.repeat(64) })),
    )
    expect(readAnswer(Buffer.from(say ?? []))).toMatchObject({ refusal: null, proof: null })
    const { say: answer, end } = listener.hear(Buffer.from(writeProof('0'.repeat(64))))
    expect(readAnswer(Buffer.from(answer ?? [])).proof).toBeNull()
    expect(end).toEqual(wrong)
  })

  test('sees another value in every hello and every challenge', () => {
    const values = range(0, 50).flatMap(() => {
      const { hello } = greeting(SECRET)
      const { say } = reception(SECRET).hear(Buffer.from(writeHello(hello)))
      return [hello.challenge, readAnswer(Buffer.from(say ?? [])).challenge]
    })
    expect(new Set(values).size).toBe(100)
  })
})

describe('a seal', () => {
  const key = Buffer.alloc(32, 7)
  const bodies = range(0, 200).map((n) => Buffer.alloc(1000, n))

  test('gives back what was closed, in several pieces if it is much, none longer than said', () => {
    const [sender, receiver] = [new Seal(key), new Seal(key)]
    const sealed = framesOf(sender.close([...bodies, Buffer.alloc(LONGEST_FRAME, 1)]))
    expect(sealed.length).toBe(5)
    expect(Math.max(...sealed.map(({ length }) => length))).toBe(longestSealed(LONGEST_FRAME))
    const opened = framesOf(Buffer.concat(sealed.map((frame) => receiver.open(frame))))
    expect(opened.slice(0, 200)).toEqual(bodies)
  })

  test('breaks if any byte is changed', () => {
    const sealed = get(framesOf(new Seal(key).close([Buffer.from('some words')])), 0)
    for (const place of sealed.keys()) {
      const changed = Buffer.from(sealed)
      changed[place] = byteAt(changed, place) ^ 1
      expect(() => new Seal(key).open(changed)).toThrow('its seal is wrong')
    }
    for (const length of [0, 1, 15, 16, sealed.length - 1]) {
      expect(() => new Seal(key).open(sealed.subarray(0, length))).toThrow('its seal is wrong')
    }
  })
})

function framesOf(bytes: Buffer | undefined): Buffer[] {
  const reader = new FrameReader(2 * LONGEST_FRAME)
  reader.add(bytes ?? Buffer.alloc(0))
  const frames: Buffer[] = []
  for (let frame = reader.next(); frame !== null; frame = reader.next()) frames.push(frame)
  return frames
}
