import * as z from "zod";
import { maybe } from "./params.ts";

const contextRelations = ["thread", "channel", "reply", "forward", "quote", "link"] as const;
const contextProblems = ["unavailable", "not_allowed"] as const;

const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T09:00:00Z" });

/** Messages of a chat platform that the client has read for a request, oldest first. Untrusted text for the model. */
export const MessageContextParams = z.object({
	messages: z
		.array(
			z.object({
				/** The platform's id. A session gets each version of a message once. */
				id: z.string().min(1).max(128),
				/** Relation to the request: an earlier message of its thread or channel, or a message that it refers to. */
				relation: z.enum(contextRelations),
				author: z.object({
					/** The platform's id. */
					id: z.string().min(1).max(128),
					name: z.string().max(500),
					roles: maybe(z.array(z.string().min(1).max(128)).max(500)),
					guest: maybe(z.boolean()),
					bot: maybe(z.boolean()),
					/** Set if Parley wrote it: in the session of the request, or in another one. */
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
	/** Whether the channel has older messages. */
	has_older: maybe(z.boolean()),
	/** Reason why the earlier messages are missing. `not_allowed`: the person may not read them. */
	problem: maybe(z.enum(contextProblems)),
});

/** Messages that the model got as context of a request. */
export const ReadMessagesPayload = z.object({
	messages: z.int(),
	/** In the order of their first message. */
	authors: z.array(
		z.object({
			name: z.string(),
			messages: z.int(),
			/** `self`: the agent. `other`: a bot, or a person without the role member. */
			is: z.enum(["member", "other", "self"]),
		}),
	),
	/** Time of the oldest and of the newest message. Absent without messages. */
	oldest: z.exactOptional(z.string()),
	newest: z.exactOptional(z.string()),
	/** Number of messages that the request refers to: by a reply, a quotation, a forward or a link. */
	referenced: z.int(),
	/** Names of their files. */
	files: z.array(z.string()),
	/** Whether older messages were left out because of a limit. */
	has_older: z.boolean(),
	problem: z.exactOptional(z.enum(contextProblems)),
});
