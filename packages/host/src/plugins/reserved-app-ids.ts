/** AppIds that only the host itself may hold. */
export const reservedAppIds = ['rollcall', 'host', 'registry', 'gate', 'console'] as const
