// A thread cannot begin with a TypeScript file; from source it begins here. To read TypeScript takes longer than all else that a node
// does to join, so a run of the tests has it made into JavaScript once, and says where that is.
const made = process.env['TURNWISE_LEASE_THREAD']
if (made === undefined) {
  const { register } = await import('tsx/esm/api')
  register()
  await import('./thread.ts')
} else await import(made)
