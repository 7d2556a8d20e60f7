import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { freeAddress, freeAddresses } from '../src/ports.ts'

test('nobody gets an address that another has, in this process or in another one', async () => {
  const first = await freeAddress()
  const [, port] = first.split(':')
  // A second caller that draws the same number gets the next one that it draws.
  const drawn = (number: number) => (number - 10_000 + 0.5) / 20_000
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(drawn(Number(port)))
  expect(await freeAddress()).not.toBe(first)
  expect(random.mock.calls.length).toBeGreaterThan(1)
  random.mockRestore()
  const module = fileURLToPath(new URL('../dist/ports.js', import.meta.url))
  const script = `
    let draws = 0
    const random = Math.random
    Math.random = () => (draws++ === 0 ? ${drawn(Number(port))} : random())
    const { freeAddress } = await import(${JSON.stringify(module)})
    console.log(await freeAddress(), draws)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  const [address, draws] = stdout.trim().split(' ')
  expect(address).not.toBe(first)
  expect(Number(draws)).toBeGreaterThan(1)
})

test('one for each, all different', async () => {
  const addresses = await freeAddresses(['a', 'b', 'c'])
  expect(new Set(Object.values(addresses)).size).toBe(3)
})
