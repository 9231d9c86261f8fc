import * as z from "zod";
import { key, maybe, optionalSession } from "./params.ts";

/** A file that a turn changed. */
export const FileChangePayload = z.object({
	/** Path of the file, relative to the working directory if the file is below it. */
	path: z.string(),
	/**
	 * State of the file. `restorable`: the file is as the turn left it. `restored`: the file is as before the turn.
	 * `refused`: an undo does not change the file.
	 */
	state: z.enum(["restorable", "restored", "refused"]),
	/** Reason for `refused`, otherwise empty. */
	reason: z.string(),
	/** Whether the turn created the file. */
	created: z.boolean(),
	/**
	 * Unified diff from the content before the turn to the present content, without secrets. A text with the reason
	 * replaces a diff that is not shown, for example because it is too long.
	 */
	diff: z.string(),
});
export type FileChangePayload = z.output<typeof FileChangePayload>;

/** Methods for the file changes of turns. Only for operators. */
export const changeMethods = {
	/** Returns the file changes of the newest turn whose changes are not undone. */
	file_changes: {
		params: z.object({ session_id: optionalSession }),
		result: z.object({
			/** The newest such turn, if it exists. */
			turn: z.exactOptional(
				z.object({
					run_id: z.string(),
					/** Text of the message that started the turn. */
					message: z.string(),
					files: z.array(FileChangePayload),
					/** Whether the turn ran commands or tools of other programs. Their changes are not listed and not undone. */
					ran_commands: z.boolean(),
				}),
			),
		}),
	},
	/**
	 * Starts a run that restores the files in the result of `file_changes`. The run calls no model, but later model
	 * calls see the result. Refused while a run or a task is active, and in sessions of chats and tasks.
	 */
	undo_changes: {
		params: z.object({
			session_id: optionalSession,
			/** Whether the other files are restored if one file cannot be restored. Default: false, so no file is restored. */
			partly: maybe(z.boolean()),
			key,
		}),
		result: z.object({ status: z.literal("sent"), run_id: z.string() }),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
