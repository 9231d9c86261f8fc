import * as z from "zod";
import { key, optionalSession } from "./params.ts";

const number = z.int().min(1);
/**
 * Reason for the end. `exited`: the command ended by itself. `gateway`: the gateway stopped or restarted. `failed`: the
 * command could not be started.
 */
const reason = z.enum(["exited", "stopped", "timed_out", "gateway", "failed"]);

/** A background command of a session. */
export const CommandPayload = z.object({
	/** Number of the command in the session, from 1. */
	number,
	/** Command line without secrets, at most 500 characters. */
	command: z.string(),
	state: z.enum(["running", "ended"]),
	/** Start time in the format of RFC 3339. */
	started_at: z.string(),
	/** End time. Present after the end of the command. */
	ended_at: z.exactOptional(z.string()),
	reason: z.exactOptional(reason),
	/** Exit code. Present only if the command exited with a code. */
	exit_code: z.exactOptional(z.int()),
});
export type CommandPayload = z.output<typeof CommandPayload>;

/** Methods for background commands. */
export const commandMethods = {
	/**
	 * Returns at most 50 commands of a session, newest first. If the session has more than 50 commands, running commands
	 * have precedence over ended commands.
	 */
	list_commands: {
		params: z.object({ session_id: optionalSession }),
		result: z.object({ commands: z.array(CommandPayload) }),
	},
	/**
	 * Stops a command and returns the command when it has ended. If the command had already ended, returns it unchanged.
	 */
	stop_command: {
		params: z.object({
			session_id: optionalSession,
			number: z.int({ error: "must be the number of a command" }).min(1),
			key,
		}),
		result: z.object({ command: CommandPayload }),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;

/** Fields of a background command. `run_id` and `call_id` identify the tool call that started the command. */
const command = { number, command: z.string(), run_id: z.string(), call_id: z.string() };

/** Events of background commands. */
export const commandPayloads = {
	"command.started": z.object(command),
	"command.ended": z.object({
		...command,
		reason,
		exit_code: z.exactOptional(z.int()),
		/** Person or client that stopped the command. Absent if the command ended in another way. */
		by: z.exactOptional(z.string()),
	}),
};

export type CommandEventPayloads = {
	readonly [Name in keyof typeof commandPayloads]: Readonly<z.output<(typeof commandPayloads)[Name]>>;
};
