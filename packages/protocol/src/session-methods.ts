import * as z from "zod";
import { FilePayload } from "./file-payload.ts";
import { key, maybe, optionalSession, runId, sessionId, title, withDefault } from "./params.ts";
import { Usage } from "./usage-report.ts";

const rating = z.enum(["good", "bad"], { error: "must be good or bad" });

/** Feedback about a reply. */
export const FeedbackPayload = z.object({
	session_id: z.string(),
	/** Of the session; "" for none. */
	title: z.string(),
	run_id: z.string(),
	by: z.string(),
	rating,
	comment: z.string(),
	ts: z.string(),
	/** The first 500 characters of the reply. */
	reply: z.string(),
});
export type FeedbackPayload = z.output<typeof FeedbackPayload>;

/** What a person does with conversations as a whole, and says about their replies. */
export const sessionMethods = {
	rename_session: {
		/** An empty title lets a model choose one again. */
		params: z.object({ session_id: optionalSession, title, key }),
		result: z.object({ title: z.string() }),
	},
	/** With everything that belongs to it. */
	delete_session: {
		params: z.object({
			session_id: optionalSession,
			/** Also while something runs or waits there: that is stopped first. */
			force: maybe(z.boolean()),
			key,
		}),
		result: z.object({ status: z.literal("deleted") }),
	},
	/** What somebody thinks of a reply: the last word counts. */
	feedback: {
		params: z.object({
			session_id: optionalSession,
			/** The session's last reply where absent. */
			run_id: runId,
			rating,
			comment: maybe(z.string().max(2_000)),
			key,
		}),
		result: z.object({ status: z.literal("recorded"), run_id: z.string() }),
	},
	/** Feedback about replies, newest first, of one session or of all. For the operator. */
	list_feedback: {
		params: z.object({
			session_id: maybe(sessionId.min(1)),
			rating: maybe(rating),
			limit: withDefault(z.int().min(1).max(1_000), 50),
		}),
		result: z.object({ feedback: z.array(FeedbackPayload) }),
	},
	/** What became of one message, and why. */
	explain: {
		params: z.object({
			session_id: optionalSession,
			/** The session's last message where absent. */
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
			/** What was said to the run while it was at work, in order. */
			steered: z.array(
				z.object({
					content: z.string(),
					ts: z.string(),
					author: z.exactOptional(z.object({ id: z.string(), name: z.string() })),
				}),
			),
			profile: z.string(),
			policy_version: z.string(),
			/** Whether `accept_all_tools` held. */
			accept_all: z.boolean(),
			/** What has come together in the session, in words. */
			taint: z.array(z.string()),
			models: z.array(z.object({ model: z.string(), calls: z.int(), errors: z.array(z.string()) })),
			calls: z.array(
				z.object({
					call_id: z.string(),
					name: z.string(),
					decision: z.enum(["allowed", "approved", "denied", "refused", "waiting"]),
					/** The rule that decided, in words. */
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
