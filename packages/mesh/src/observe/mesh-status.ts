import type { Survives } from '../protocol/losses.ts'
import type { Id } from '../protocol/record.ts'

/** The state of a node at one moment. */
export interface MeshStatus {
  /** The name of this node. */
  readonly id: Id
  /** The algorithm of the view; before the first view the configured one. */
  readonly algorithm: string
  /** Null before the first view and between two. */
  readonly epoch: number | null
  /** The members of the view. */
  readonly members: readonly Id[]
  /** The zones of the members that state one. */
  readonly zones: Readonly<Record<Id, string>>
  /** The voters of the view; before the first view the configured ones. */
  readonly voters: readonly Id[]
  /** Where the mesh meets; null with peers, and alone. There are no voters at a meeting place. */
  readonly place: PlaceStatus | null
  /** Voters that are not heard. */
  readonly missing: readonly Id[]
  /**
   * Which further losses leave a majority of the voters. Null without a view, and at a meeting place: there all members but one may be lost,
   * as long as the place answers.
   */
  readonly survives: Survives | null
  /**
   * Why this node is not served, or will not be, one line each: settings that do not fit the members, and peers that refuse it
   * or have other settings. Also semaphores and groups that are used with different permits or names.
   */
  readonly trouble: readonly string[]
  /** Milliseconds left of the lease; 0 without a valid lease. */
  readonly leaseLeft: number
  /** Names that this node remembers. */
  readonly names: number
  /** Lock messages that this node has sent, repeated ones included. */
  readonly sent: number
}

/** The place where a mesh meets, and whether it answers. */
export interface PlaceStatus {
  /** The place as text, without passwords. */
  readonly name: string
  /** Milliseconds since it last answered; null while it answers. */
  readonly silentFor: number | null
  /** The error instead of an answer; null while it answers. */
  readonly why: string | null
}
