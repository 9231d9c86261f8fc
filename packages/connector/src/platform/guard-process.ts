import type { Logger } from "@parley/base";

export interface GuardedProcess {
	on(event: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown;
	off(event: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown;
	exit(code: number): void;
}

/** A library that throws uncaught errors for some payloads of its platform. */
export interface FaultTolerance {
	readonly library: string;
	/** Pattern of the stacks of these errors. */
	readonly stack: RegExp;
}

/**
 * Guards against uncaught errors. An error of the tolerated library is logged, and the process continues. Any
 * other uncaught error is logged, and ends the process with code 1. Returns a function that removes the
 * guard.
 */
export function guardProcess(
	log: Logger,
	{
		tolerated,
		guarded = process,
	}: { readonly tolerated?: FaultTolerance; readonly guarded?: GuardedProcess } = {},
): () => void {
	const caught = (error: unknown, origin: string): void => {
		if (tolerated && error instanceof Error && tolerated.stack.test(error.stack ?? "")) {
			log.error(`${tolerated.library} failed on a payload of its platform, and continues`, { error, origin });
			return;
		}
		log.error("the connector ends after an unexpected error", { error, origin });
		guarded.exit(1);
	};
	guarded.on("uncaughtException", caught);
	return () => void guarded.off("uncaughtException", caught);
}
