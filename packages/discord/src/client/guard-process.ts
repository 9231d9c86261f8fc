import type { Logger } from "@parley/base";

/** What of `process` the guard needs. */
export interface GuardedProcess {
	on(event: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown;
	off(event: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown;
	exit(code: number): void;
}

/**
 * Where discord.js reads what Discord sent, outside of any call of ours. By the path of the file, and by names that
 * stay the same where all files are one.
 */
const reading =
	/[/\\](?:discord\.js|@discordjs[/\\]ws)[/\\]|\bat (?:async )?(?:WebSocketShard|SimpleShardingStrategy)[\w$]*\./;

/**
 * Lets a payload that discord.js stumbles over be logged and left out, instead of ending the process: the connection
 * that it came over lives on, or is made again. Whatever else nobody has caught is logged and ends the process with
 * 1, so that it is started again. Returns how to take the guard away.
 */
export function guardProcess(log: Logger, guarded: GuardedProcess = process): () => void {
	const caught = (error: unknown, origin: string): void => {
		if (error instanceof Error && reading.test(error.stack ?? "")) {
			log.error("discord.js stumbled over something that Discord sent, and goes on", { error, origin });
			return;
		}
		log.error("the connector has failed in a way that nobody has foreseen, and ends", { error, origin });
		guarded.exit(1);
	};
	guarded.on("uncaughtException", caught);
	return () => void guarded.off("uncaughtException", caught);
}
