// Functions for commands that save and restore a data directory. This entry point is separate, because these commands
// need no gateway.
export { type BackupSummary, createBackup } from "./create-backup.ts";
export { migrateData } from "./migrate-data.ts";
export type { UnpackLimits } from "./read-backup.ts";
export { type BackupFacts, type Restored, restoreBackup, verifyBackup } from "./restore-backup.ts";
export { syncDirectory } from "./sync-directory.ts";
