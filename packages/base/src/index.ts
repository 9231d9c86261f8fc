export { alternatives } from "./alternatives.ts";
export { type Cache, createCache } from "./cache.ts";
export { type Clock, delay, systemClock, type Timer } from "./clock.ts";
export { type Defined, defined, definedItems } from "./defined.ts";
export { CorrectableError, type ErrorCode, ParleyError, type ParleyErrorOptions } from "./errors.ts";
export { type FailpointEffects, type Failpoints, noFailpoints, parseFailpoints } from "./failpoints.ts";
export { chanceOf, createIds, type Ids } from "./ids.ts";
export { duplicateKey, type JsonLimits, parseJson } from "./json.ts";
export {
	createLogger,
	type LogDestination,
	type LogFields,
	type Logger,
	type LoggerOptions,
	type LogLevel,
	logLevels,
	StderrWriter,
	silentLogger,
} from "./log.ts";
export type { RedactedStream } from "./redacted-stream.ts";
export { Redactor, type TextRedactor } from "./redactor.ts";
export { REPLACEMENT as redactedMark } from "./redactor-patterns.ts";
export { type HotStatement, hotChange, hotInsert, hotStatement } from "./store/hot-statement.ts";
export type { FreshSchema } from "./store/migrate.ts";
export { readMigrationNames } from "./store/migrate.ts";
export { type KeyvOptions, keyvMigration, openKeyv } from "./store/sql-keyv.ts";
export { checkSqliteFile, copySqliteFile, readSqliteFile } from "./store/sqlite-file.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./store/sqlite-store.ts";
export type { HealthWatch } from "./store/storage-health.ts";
export type { Engine, Migration, Store, StoreHealth } from "./store/store.ts";
export { StoreError } from "./store/store.ts";
export { mintToken, readTokenText, type TokenText, tokenKindOf } from "./token-text.ts";
export { formatUsd, formatUsdLimit } from "./usd.ts";
