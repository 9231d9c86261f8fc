import { defined, type Logger } from "@parley/base";
import { type GuardedProcess, guardProcess as guard } from "@parley/connector";

/**
 * Pattern for the stack of an error from discord.js. Such a stack contains a file path of discord.js or, in a
 * bundle, the name of one of its classes.
 */
const reading =
	/[/\\](?:discord\.js|@discordjs[/\\]ws)[/\\]|\bat (?:async )?(?:WebSocketShard|SimpleShardingStrategy)[\w$]*\./;

/**
 * Installs the kit's guard, which logs uncaught errors of discord.js and lets the process continue. Returns a
 * function that removes the guard.
 */
export function guardProcess(log: Logger, guarded?: GuardedProcess): () => void {
	return guard(log, defined({ tolerated: { library: "discord.js", stack: reading }, guarded }));
}
