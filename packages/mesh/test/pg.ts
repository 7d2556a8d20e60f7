/** The package pg, as far as tests use it. It has no types of its own. */
import type { Transaction } from '../src/guards/guards.ts'

interface Answers extends Transaction {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
}

interface Client extends Answers {
  connect(): Promise<void>
  end(): Promise<void>
}

export interface Pool extends Answers {
  connect(): Promise<Answers & { release(): void }>
  on(event: 'error', heard: () => void): void
  end(): Promise<void>
}

interface Pg {
  readonly Client: new (settings: object) => Client
  readonly Pool: new (settings: object) => Pool
}

// Not a literal, or the compiler would look for types.
const name = 'pg'
const { default: pg } = (await import(name)) as { readonly default: Pg }

export const pgClient = (settings: object): Client => new pg.Client(settings)
export const pgPool = (settings: object): Pool => new pg.Pool(settings)
