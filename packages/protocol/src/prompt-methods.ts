import * as z from "zod";
import { key, maybe, optionalSession, withDefault } from "./params.ts";
import { OpenPrompt } from "./prompt-payloads.ts";

const token = z.string().min(1).max(128);

/** Methods for open prompts of all sessions. */
export const promptMethods = {
	/** Returns the open prompts, oldest first. */
	list_prompts: {
		params: z.object({
			/**
			 * Session of the prompts. Without a session here and in the frame, the result covers all sessions that the
			 * client may see.
			 */
			session_id: optionalSession,
			/**
			 * Token of a prompt. Returns only the prompt with the token. The result then also contains the arguments and
			 * the preview of the call.
			 */
			token: maybe(token),
			/**
			 * Whether to return only approvals. A connector receives all approvals that the person may answer in the
			 * person's channel, including approvals from other channels' sessions. For connectors, calls that always
			 * require approval are last. Refused if the person may not approve.
			 */
			approvals: maybe(z.boolean()),
			limit: withDefault(z.int().min(1).max(1000), 50),
		}),
		result: z.object({ prompts: z.array(OpenPrompt) }),
	},
	/**
	 * Adds the rule in `always_allow` of an open approval to the operator's policy file, and approves the call. Only for
	 * operators.
	 */
	allow_always: {
		params: z.object({ token, key }),
		result: z.object({
			status: z.literal("sent"),
			/**
			 * Set if the prompt was closed while the rule was being added. The rule is added, but the approval has no
			 * effect.
			 */
			late: z.exactOptional(z.literal(true)),
			/** The added rule, as one line of JSON. */
			rule: z.string(),
			/** Position of the rule: `FILE:LINE`. */
			source: z.string(),
		}),
	},
	/** Returns the URL of a one-time browser page for the answer to a password question. */
	secret_page: {
		params: z.object({ token, key }),
		/** The URL is sufficient to answer the question. Show the URL only to the person who requested it. */
		result: z.object({ url: z.string(), expires_at: z.string() }),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
