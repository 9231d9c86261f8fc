import * as z from "zod";
import { key, maybe, optionalSession } from "./params.ts";

/** A file that a turn changed. */
export const FileChangePayload = z.object({
	/** Relative to the working directory if it is below it. */
	path: z.string(),
	/**
	 * `restorable`: it is as the turn left it. `restored`: it is as before the turn. `refused`: an undo leaves it, for
	 * `reason`.
	 */
	state: z.enum(["restorable", "restored", "refused"]),
	/** Empty unless it is refused. */
	reason: z.string(),
	/** Whether the turn created it. */
	created: z.boolean(),
	/**
	 * Unified diff from the content before the turn to the present content, without secrets. The reason in its place if
	 * it is not shown, for example because the differences of the turn are too long.
	 */
	diff: z.string(),
});
export type FileChangePayload = z.output<typeof FileChangePayload>;

/** Methods for the file changes of turns. Only for operators. */
export const changeMethods = {
	/** File changes of the newest turn that has some which are not undone. */
	file_changes: {
		params: z.object({ session_id: optionalSession }),
		result: z.object({
			/** Absent without such a turn. */
			turn: z.exactOptional(
				z.object({
					run_id: z.string(),
					/** Message of the turn. */
					message: z.string(),
					files: z.array(FileChangePayload),
					/** Whether the turn ran commands. Their changes are neither in the list nor undone. */
					ran_commands: z.boolean(),
				}),
			),
		}),
	},
	/**
	 * Restores the files of that turn as they were before it, by the tool `undo_changes`. No model is called, and later ones
	 * see the result. Refused while a run works, and in sessions of chats.
	 */
	undo_changes: {
		params: z.object({
			session_id: optionalSession,
			/** Whether files that cannot be restored are left as they are. Default: then no file is restored. */
			partly: maybe(z.boolean()),
			key,
		}),
		result: z.object({ status: z.literal("sent"), run_id: z.string() }),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
