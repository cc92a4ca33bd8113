import { connect, type Socket } from 'node:net'

/** Connects to a socket of this machine; `undefined` where nobody listens. Never rejects. */
export function dial(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true })
    socket.once('connect', () => {
      socket.off('error', fail)
      socket.on('error', () => {})
      resolve(socket)
    })
    const fail = () => resolve(undefined)
    socket.once('error', fail)
  })
}
