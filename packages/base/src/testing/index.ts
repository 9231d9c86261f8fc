export { ManualClock } from "./manual-clock.ts";
export { type LogRecord, MemoryLogger } from "./memory-logger.ts";
export { afterPatience, paced, pacedNow } from "./pace.ts";
export { openPgliteStore, type PgliteStoreOptions } from "./pglite-store.ts";
export { openPostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
export { seededIds } from "./seeded-ids.ts";
export {
	type ContractCase,
	type ContractTables,
	contractMigration,
	storeContract,
} from "./store-contract.ts";
export { storeWith } from "./store-with.ts";
