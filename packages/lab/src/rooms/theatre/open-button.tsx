import { useRef } from 'react'
import { pack } from './packed.ts'

/** Opens a record that was written by the command line, a checker or a mesh: one file, or the parts of one run. */
export function OpenButton({ onOpen }: { onOpen: (trace: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const open = async (files: readonly File[]) => {
    if (files.length === 0) return
    onOpen(await pack(await Promise.all(files.map((file) => file.text()))))
    // The same file can be opened again.
    if (input.current !== null) input.current.value = ''
  }
  return (
    <>
      <button type="button" className="open" onClick={() => input.current?.click()}>
        Open a trace
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept=".jsonl,.json,.txt,.trace"
        onChange={(event) => void open([...(event.target.files ?? [])])}
      />
    </>
  )
}
