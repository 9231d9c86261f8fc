import type { Logger } from "@parley/base";

/** What of `process` the guard needs. */
export interface GuardedProcess {
	on(event: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown;
	off(event: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown;
	exit(code: number): void;
}

/** A library that throws where nobody can catch it, over what its platform sent. */
export interface Stumbling {
	readonly library: string;
	/** What in a stack shows that it was this. */
	readonly stack: RegExp;
}

/**
 * Lets a payload that a platform's library stumbles over be logged and left out, instead of ending the process: the
 * connection that it came over lives on, or is made again. Whatever else nobody has caught is logged and ends the
 * process with 1, so that it is started again. Returns how to take the guard away.
 */
export function guardProcess(
	log: Logger,
	{
		stumbling,
		guarded = process,
	}: { readonly stumbling?: Stumbling; readonly guarded?: GuardedProcess } = {},
): () => void {
	const caught = (error: unknown, origin: string): void => {
		if (stumbling && error instanceof Error && stumbling.stack.test(error.stack ?? "")) {
			const message = `${stumbling.library} stumbled over something that its platform sent, and goes on`;
			log.error(message, { error, origin });
			return;
		}
		log.error("the connector has failed in a way that nobody has foreseen, and ends", { error, origin });
		guarded.exit(1);
	};
	guarded.on("uncaughtException", caught);
	return () => void guarded.off("uncaughtException", caught);
}
