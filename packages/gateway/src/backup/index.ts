// What commands need that save and restore a data directory: an entry of its own, because they need no gateway.
export { type BackupSummary, createBackup } from "./create-backup.ts";
export type { UnpackLimits } from "./read-backup.ts";
export { type BackupFacts, type Restored, restoreBackup, verifyBackup } from "./restore-backup.ts";
