import { defined, type Logger } from "@parley/base";
import { type GuardedProcess, guardProcess as guard } from "@parley/connector";

/**
 * Stack of code in discord.js that reads frames outside of any call of the connector. It matches the path of the file, or
 * names that stay the same in a bundle.
 */
const reading =
	/[/\\](?:discord\.js|@discordjs[/\\]ws)[/\\]|\bat (?:async )?(?:WebSocketShard|SimpleShardingStrategy)[\w$]*\./;

/** Guard of the kit, which logs errors of discord.js and lets the process continue. */
export function guardProcess(log: Logger, guarded?: GuardedProcess): () => void {
	return guard(log, defined({ stumbling: { library: "discord.js", stack: reading }, guarded }));
}
