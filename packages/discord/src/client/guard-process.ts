import { defined, type Logger } from "@parley/base";
import { type GuardedProcess, guardProcess as guard } from "@parley/connector";

/**
 * Matches stacks of errors that discord.js throws outside any call of the connector. It matches file paths of discord.js, and
 * class names that a bundle preserves.
 */
const reading =
	/[/\\](?:discord\.js|@discordjs[/\\]ws)[/\\]|\bat (?:async )?(?:WebSocketShard|SimpleShardingStrategy)[\w$]*\./;

/** Installs the kit's guard, which logs errors of discord.js and lets the process continue. */
export function guardProcess(log: Logger, guarded?: GuardedProcess): () => void {
	return guard(log, defined({ tolerated: { library: "discord.js", stack: reading }, guarded }));
}
