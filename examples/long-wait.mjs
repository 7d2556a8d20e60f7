// A caller that waits for long is told who is inside, and why.
import { join } from 'turnwise'

const mesh = await join()
const backup = await mesh.locks.acquire('disk', { info: 'backup' })

const tell = ({ name, holders, ahead }) => {
  const [holder] = holders
  console.log(`"${name}": the ${holder.info} is inside, ${ahead} wait before me`)
  backup.release()
}

await mesh.locks.request('disk', { onWait: { after: 100, tell } }, () => console.log('inside at last'))
await mesh.leave()
