import { Component, type ReactNode } from 'react'

interface Props {
  /** The title of the room. */
  readonly room: string
  readonly children: ReactNode
}

/** What a room fails with stays in the room: the bar is still there, and a way on. One for each room, by its key. */
export class RoomBoundary extends Component<Props, { readonly why: string | null }> {
  override state = { why: null }

  static getDerivedStateFromError(error: unknown): { readonly why: string } {
    return { why: error instanceof Error ? error.message : String(error) }
  }

  override render(): ReactNode {
    const { why } = this.state
    if (why === null) return this.props.children
    return (
      <main className="failed-room" role="alert">
        <h1>{this.props.room} cannot be shown</h1>
        <p>
          Its script did not load, or it failed. Perhaps the network or the server is gone: when{' '}
          <code>turnwise up</code> ends, so does its page. Or a newer page has replaced this one.
        </p>
        <p className="failed-room-ways">
          <button type="button" className="primary" onClick={() => window.location.reload()}>
            Load the page again
          </button>
          <button type="button" onClick={() => window.history.back()}>
            Back
          </button>
        </p>
        <p className="hint">{why}</p>
      </main>
    )
  }
}
