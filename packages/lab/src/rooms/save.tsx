/** A button that saves a text as a file. */
export function Save(file: { name: string; type: string; text: () => string; label: string }) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([file.text()], { type: file.type }))
    const link = document.createElement('a')
    link.href = address
    link.download = file.name
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <button type="button" onClick={save}>
      {file.label}
    </button>
  )
}
