import * as z from "zod";
import { maybe } from "./params.ts";

const contextRelations = ["thread", "channel", "reply", "forward", "quote", "link"] as const;
const contextProblems = ["unavailable", "not_allowed"] as const;

const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T09:00:00Z" });

/**
 * Chat messages that the client has read as context for a request, oldest first. The text of the messages is untrusted.
 */
export const MessageContextParams = z.object({
	messages: z
		.array(
			z.object({
				/**
				 * The platform's id of the message. The gateway sends a message to the model again only if the message was
				 * edited or the request refers to it.
				 */
				id: z.string().min(1).max(128),
				/**
				 * Relation of the message to the request: an earlier message in the request's thread or channel, or a
				 * message to which the request refers.
				 */
				relation: z.enum(contextRelations),
				author: z.object({
					id: z.string().min(1).max(128),
					name: z.string().max(500),
					roles: maybe(z.array(z.string().min(1).max(128)).max(500)),
					guest: maybe(z.boolean()),
					bot: maybe(z.boolean()),
					/** Set if Parley wrote the message: `here` in the session of the request, `elsewhere` in another session. */
					self: maybe(z.enum(["here", "elsewhere"])),
				}),
				ts: time,
				edited_ts: maybe(time),
				text: z.string().max(100_000),
				files: maybe(
					z
						.array(
							z.object({
								name: z.string().min(1).max(500),
								bytes: maybe(z.int().min(0)),
								media_type: maybe(z.string().max(200)),
							}),
						)
						.max(20),
				),
			}),
		)
		.max(100),
	/** Whether the channel or thread has older messages. */
	has_older: maybe(z.boolean()),
	/** Reason why earlier messages are missing. `not_allowed`: the person may not read them. */
	problem: maybe(z.enum(contextProblems)),
});

/** Summary of the chat messages that the model received as context for a request. */
export const ReadMessagesPayload = z.object({
	messages: z.int(),
	/** Authors of the messages, in the order of each author's first message. */
	authors: z.array(
		z.object({
			name: z.string(),
			messages: z.int(),
			/** Kind of author. `self`: the agent. `other`: a bot, or a person with a role below member. */
			is: z.enum(["member", "other", "self"]),
		}),
	),
	/** Times of the oldest and the newest message. Absent without messages. */
	oldest: z.exactOptional(z.string()),
	newest: z.exactOptional(z.string()),
	/** Number of messages to which the request refers by a reply, a quotation, a forward or a link. */
	referenced: z.int(),
	/** Names of the files in the messages. */
	files: z.array(z.string()),
	/** Whether there are older messages that the model did not receive. */
	has_older: z.boolean(),
	problem: z.exactOptional(z.enum(contextProblems)),
});
