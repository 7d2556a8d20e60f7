import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BadFrame } from '../../src/transport/bad-frame.ts'
import { FrameReader, framedLength, joinFrames } from '../../src/transport/framing.ts'

function readAll(reader: FrameReader, chunk: Buffer): Buffer[] {
  reader.add(chunk)
  const frames: Buffer[] = []
  for (let frame = reader.next(); frame !== null; frame = reader.next()) frames.push(Buffer.from(frame))
  return frames
}

test('frames come out whole wherever the stream was split', () => {
  const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(bodies, fc.array(fc.nat()), (frames, cuts) => {
      const stream = joinFrames(frames)
      expect(stream.length).toBe(frames.reduce((sum, body) => sum + framedLength(body), 0))
      const places = [0, ...cuts.map((cut) => cut % stream.length), stream.length].toSorted((a, b) => a - b)
      const reader = new FrameReader(300)
      const read = places
        .slice(1)
        .flatMap((end, index) => readAll(reader, stream.subarray(places[index], end)))
      expect(read).toEqual(frames.map((body) => Buffer.from(body)))
    }),
  )
})

test('what was added together is read one by one', () => {
  const reader = new FrameReader(300)
  const bodies = [1, 2, 3].map((value) => Buffer.from([value, value]))
  for (const body of bodies) reader.add(joinFrames([body]))
  expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([...bodies, null])
})

test('any bytes give frames within the limit, or are refused', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (chunks) => {
      const reader = new FrameReader(100)
      try {
        for (const chunk of chunks) {
          for (const frame of readAll(reader, Buffer.from(chunk))) {
            expect(frame.length).toBeGreaterThan(0)
            expect(frame.length).toBeLessThanOrEqual(100)
          }
        }
      } catch (error) {
        expect(error).toBeInstanceOf(BadFrame)
      }
    }),
  )
})

test('a frame that is too long is refused by its length alone', () => {
  const reader = new FrameReader(100)
  expect(() => readAll(reader, Buffer.from([0, 0, 0, 101]))).toThrow(
    'a frame of 101 bytes is longer than 100',
  )
  expect(() => readAll(new FrameReader(100), Buffer.from([0, 0, 0, 0]))).toThrow('a frame is empty')
})
