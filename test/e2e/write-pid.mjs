// Imported before a server: writes its process id into PID_FILE, so that a test can kill it.
import { appendFileSync } from 'node:fs'

appendFileSync(process.env.PID_FILE, `${process.pid}\n`)
