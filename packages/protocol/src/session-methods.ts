import * as z from "zod";
import { FilePayload } from "./file-payload.ts";
import { ReadMessagesPayload } from "./message-context.ts";
import { key, maybe, optionalSession, runId, sessionId, title, withDefault } from "./params.ts";
import { Usage } from "./usage-report.ts";

const seq = z.int().min(0);
const rating = z.enum(["good", "bad"], { error: "must be good or bad" });

export const FeedbackPayload = z.object({
	session_id: z.string(),
	/** Title of the session. "" without a title. */
	title: z.string(),
	run_id: z.string(),
	by: z.string(),
	rating,
	comment: z.string(),
	ts: z.string(),
	/** First 500 characters of the reply. */
	reply: z.string(),
});
export type FeedbackPayload = z.output<typeof FeedbackPayload>;

/** Methods for sessions, for feedback about replies, and for explanations of messages. */
export const sessionMethods = {
	rename_session: {
		/** If the title is empty, a model may choose a new title. */
		params: z.object({ session_id: optionalSession, title, key }),
		result: z.object({ title: z.string() }),
	},
	/**
	 * Starts a session with the messages of another session. The fork does not get approvals, trust, open prompts,
	 * queued messages, tasks or passwords of the other session. Open the fork with `open_session`.
	 */
	fork_session: {
		params: z.object({
			session_id: optionalSession,
			/**
			 * Number of the last turn in the fork, from 1. With a negative number, the fork omits the given number of
			 * turns at the end. Default: the last turn before the first turn that has not ended.
			 */
			at: maybe(z.int("must be a number").refine((value) => value !== 0, "must not be 0")),
			/** Title of the fork. Default: the title of the copied session with `(fork)` or a number. */
			title: maybe(title),
			external_key: maybe(z.string().min(1).max(256)),
			key,
		}),
		result: z.object({
			session_id: z.string().min(1),
			title: z.string(),
			/** Number of the last turn in the fork. */
			at: z.int().min(1),
			last_seq: seq,
		}),
	},
	/**
	 * Starts to replace the conversation with a summary for the model. `compaction.ended` reports the end. Refused while
	 * the session works or has queued messages.
	 */
	compact_session: {
		params: z.object({ session_id: optionalSession, key }),
		result: z.object({ status: z.literal("started") }),
	},
	/** Deletes the session with its content. The usage of the session stays in the totals of the gateway. */
	delete_session: {
		params: z.object({
			session_id: optionalSession,
			/**
			 * Whether runs and tasks that have not ended are stopped before the deletion. By default, the request is
			 * refused if the session has such runs or tasks.
			 */
			force: maybe(z.boolean()),
			key,
		}),
		result: z.object({ status: z.literal("deleted") }),
	},
	/**
	 * Stores feedback about a reply. Replaces the earlier feedback of the same person or client about the same reply.
	 */
	feedback: {
		params: z.object({
			session_id: optionalSession,
			/**
			 * Run that wrote the reply, or `correlation_id` of the run's message. Default: the last ended run of the
			 * session.
			 */
			run_id: runId,
			rating,
			comment: maybe(z.string().max(2_000)),
			key,
		}),
		result: z.object({ status: z.literal("recorded"), run_id: z.string() }),
	},
	/**
	 * Returns feedback about replies, newest first: about replies in the session `session_id`, or in all sessions if it
	 * is absent. Only for the operator.
	 */
	list_feedback: {
		params: z.object({
			session_id: maybe(sessionId.min(1)),
			rating: maybe(rating),
			limit: withDefault(z.int().min(1).max(1_000), 50),
		}),
		result: z.object({ feedback: z.array(FeedbackPayload) }),
	},
	/** Explains how the gateway handled one message. */
	explain: {
		params: z.object({
			session_id: optionalSession,
			/** Run of the message. Default: the last run of the session. */
			run_id: runId,
		}),
		result: z.object({
			run_id: z.string(),
			correlation_id: z.string(),
			state: z.enum(["queued", "active", "ended"]),
			heard: z.object({
				content: z.string(),
				ts: z.string(),
				author: z.exactOptional(z.object({ id: z.string(), name: z.string() })),
				attachments: z.array(FilePayload),
			}),
			/** Channel messages that the model received with the message. Absent if the client read none. */
			read: z.exactOptional(ReadMessagesPayload),
			/** Messages that were added to the run, in order. */
			steered: z.array(
				z.object({
					content: z.string(),
					ts: z.string(),
					author: z.exactOptional(z.object({ id: z.string(), name: z.string() })),
				}),
			),
			profile: z.string(),
			policy_version: z.string(),
			/** Whether the run started under `accept_all_tools`. */
			accept_all: z.boolean(),
			/** Current taint of the session in words, for example `untrusted text`. */
			taint: z.array(z.string()),
			models: z.array(z.object({ model: z.string(), calls: z.int(), errors: z.array(z.string()) })),
			calls: z.array(
				z.object({
					call_id: z.string(),
					name: z.string(),
					decision: z.enum(["allowed", "approved", "denied", "refused", "waiting"]),
					/** The deciding rule, in words. */
					reason: z.string(),
					by: z.exactOptional(z.string()),
					outcome: z.enum(["completed", "failed", "running", "none"]),
				}),
			),
			said: z.exactOptional(
				z.object({
					content: z.string(),
					error: z.string(),
					ts: z.string(),
					model: z.string(),
					usage: Usage,
				}),
			),
			files: z.array(FilePayload),
			feedback: z.array(z.object({ by: z.string(), rating: z.enum(["good", "bad"]), comment: z.string() })),
		}),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
