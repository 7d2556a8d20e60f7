import { describe, test } from 'vitest'
import { registerContract } from '../../src/register/contract.ts'
import { MemoryEngine } from '../../src/register/memory-engine.ts'

describe('a register in memory', () => {
  const engine = new MemoryEngine()
  registerContract(async (mesh) => engine.open(mesh), { test })
})
