import { isSessionId } from "@parley/core";
import * as z from "zod";

/** The working directory and names. The size of a gRPC message limits the prompt. */
const short = z.string().max(4_096, { error: "is longer than 4,096 characters" });

/** The first command of a run, checked. Empty texts are absent, as everywhere in proto3. */
export const Start = z.object({
	prompt: z.string(),
	sessionId: z.string().refine((id) => id === "" || isSessionId(id), {
		error: (issue) =>
			`session not found: ${JSON.stringify(String(issue.input).slice(0, 100))} is not a session id`,
	}),
	agentName: short.transform((name) => name || undefined),
	workingDir: short,
	skill: z.object({ name: short, arguments: z.string() }).optional(),
});

export type Start = z.infer<typeof Start>;
