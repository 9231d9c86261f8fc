import { defined, type Logger } from "@parley/base";
import { type GuardedProcess, guardProcess as guard } from "@parley/connector";

/**
 * Where discord.js reads what Discord sent, outside of any call of ours. By the path of the file, and by names that
 * stay the same where all files are one.
 */
const reading =
	/[/\\](?:discord\.js|@discordjs[/\\]ws)[/\\]|\bat (?:async )?(?:WebSocketShard|SimpleShardingStrategy)[\w$]*\./;

/** The guard of the kit, for a process in which discord.js stumbles. */
export function guardProcess(log: Logger, guarded?: GuardedProcess): () => void {
	return guard(log, defined({ stumbling: { library: "discord.js", stack: reading }, guarded }));
}
