import * as z from "zod";
import { key, maybe, optionalSession } from "./params.ts";

/** A file that a turn changed. */
export const FileChangePayload = z.object({
	/** Path of the file. If the file is below the working directory, the path is relative to it. */
	path: z.string(),
	/**
	 * State of the file. `restorable`: the content is the content after the turn. `restored`: the content is the content
	 * before the turn. `refused`: an undo does not change the file.
	 */
	state: z.enum(["restorable", "restored", "refused"]),
	/** Reason for `refused`, otherwise empty. */
	reason: z.string(),
	/** Whether the turn created the file. */
	created: z.boolean(),
	/**
	 * Unified diff from the content before the turn to the present content, without secrets. If the diff is not shown,
	 * for example because it is too long, the text states the reason instead.
	 */
	diff: z.string(),
});
export type FileChangePayload = z.output<typeof FileChangePayload>;

/** Methods for the file changes of turns. Only for operators. */
export const changeMethods = {
	/** Returns the file changes of the newest turn with changes that are not undone. */
	file_changes: {
		params: z.object({ session_id: optionalSession }),
		result: z.object({
			/** The newest turn with changes that are not undone. Absent if there is no such turn. */
			turn: z.exactOptional(
				z.object({
					run_id: z.string(),
					/** Text of the user message that started the turn. */
					message: z.string(),
					files: z.array(FileChangePayload),
					/**
					 * Whether the turn ran commands or tools of other programs. File changes by these commands and tools are
					 * not listed and not undone.
					 */
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
			/**
			 * Whether the restorable files are restored even if another file cannot be restored. Default: false. No file
			 * is restored then.
			 */
			partly: maybe(z.boolean()),
			key,
		}),
		result: z.object({ status: z.literal("sent"), run_id: z.string() }),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
