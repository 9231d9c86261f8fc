import * as z from "zod";
import { key, maybe, optionalSession, withDefault } from "./params.ts";
import { OpenPrompt } from "./prompt-payloads.ts";

const token = z.string().min(1).max(128);

/** Questions that wait for people, apart from the conversations that they stand in. */
export const promptMethods = {
	/** What nobody has answered yet, the oldest first. */
	list_prompts: {
		params: z.object({
			/** Only those of one session; of all that the client may see where neither this nor the frame names one. */
			session_id: optionalSession,
			/** Only this one. It alone is told with the arguments and the preview of its call. */
			token: maybe(token),
			/**
			 * Only whether calls may run: of a connector all that this person may answer in this place, those of other
			 * places among them whose approvals are answered here, too; what is always asked about comes last. Forbidden for
			 * who may not approve.
			 */
			approvals: maybe(z.boolean()),
			limit: withDefault(z.int().min(1).max(1000), 50),
		}),
		result: z.object({ prompts: z.array(OpenPrompt) }),
	},
	/** A page for a browser that takes the answer to a question for a password, once. */
	secret_page: {
		params: z.object({ token, key }),
		/** The URL is the right to answer: it is for the person who asked for it, and for nobody else. */
		result: z.object({ url: z.string(), expires_at: z.string() }),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
