import type { LogFields, Logger, LogLevel } from "../log.ts";

export interface LogRecord {
	readonly level: Exclude<LogLevel, "silent">;
	readonly message: string;
	readonly fields: LogFields;
}

/** Logger that stores the records of all levels in memory. Child loggers add their records to the same list. */
export class MemoryLogger implements Logger {
	readonly records: LogRecord[];
	readonly #bound: LogFields;

	constructor(records: LogRecord[] = [], bound: LogFields = {}) {
		this.records = records;
		this.#bound = bound;
	}

	debug(message: string, fields?: LogFields): void {
		this.#add("debug", message, fields);
	}

	info(message: string, fields?: LogFields): void {
		this.#add("info", message, fields);
	}

	warn(message: string, fields?: LogFields): void {
		this.#add("warn", message, fields);
	}

	error(message: string, fields?: LogFields): void {
		this.#add("error", message, fields);
	}

	child(fields: LogFields): MemoryLogger {
		return new MemoryLogger(this.records, { ...this.#bound, ...fields });
	}

	#add(level: LogRecord["level"], message: string, fields?: LogFields): void {
		this.records.push({ level, message, fields: { ...this.#bound, ...fields } });
	}
}
