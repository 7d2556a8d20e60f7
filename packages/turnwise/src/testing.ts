/**
 * For those who bring an engine of their own: the tests that its register must pass.
 *
 * ```js
 * import { test } from 'node:test'
 * import { registerContract } from 'turnwise/testing'
 *
 * registerContract((mesh) => openMyRegister(mesh), { test })
 * ```
 */
export { type ContractOptions, registerContract } from '@turnwise/mesh/register/contract'
export type { Cell, Outcome, Register, Version } from '@turnwise/mesh/register/register'
