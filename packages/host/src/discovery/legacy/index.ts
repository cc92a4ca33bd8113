export { legacyRoom } from './legacy-room.ts'
