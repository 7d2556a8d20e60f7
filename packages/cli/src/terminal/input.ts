import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'
import { InvalidInput } from '@turnwise/core/invalid-input'

/** Puts the name of the option in front of a complaint, and its value where the complaint does not tell it. */
export function given<Value>(option: string, text: string, read: () => Value): Value {
  return complaining(read, (message) => {
    const isTold = message.startsWith(text) || message.includes(`"${text}"`)
    // "votes:" ends in a colon of its own.
    return `${option}${isTold ? '' : ` ${text.replace(/:$/, '')}`}: ${message}`
  })
}

/** Puts the name of the file in front of a complaint about what stands in it. */
export function inFile<Value>(path: string, read: () => Value): Value {
  return complaining(read, (message) => `${path}: ${message}`)
}

/** Puts the name of a field in front of a complaint about it. */
export function inField<Value>(field: string, read: () => Value): Value {
  return complaining(read, (message) => `${field}: ${message}`)
}

function complaining<Value>(read: () => Value, reword: (message: string) => string): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(reword(error.message), { cause: error })
    throw error
  }
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new InvalidInput(`cannot read "${path}": ${reasonOf(error)}`, { cause: error })
  }
}

export function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw new InvalidInput(`cannot write "${path}": ${reasonOf(error)}`, { cause: error })
  }
}

/** In words, "no such file or directory", not as ENOENT. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message
}

export function readJson(path: string): unknown {
  const text = readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidInput(`${path} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** Fails before long work, not after it, when the result could not be written. Leaves no file behind. */
export function writable(path: string): void {
  try {
    const isNew = !existsSync(path)
    closeSync(openSync(path, 'a'))
    if (isNew) unlinkSync(path)
  } catch (error) {
    throw new InvalidInput(`cannot write "${path}": ${reasonOf(error)}`, { cause: error })
  }
}
