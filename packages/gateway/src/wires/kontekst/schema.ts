import { isSessionId } from "@parley/core";
import * as z from "zod";
import { kontekstErrorTexts } from "../../texts/wires/grpc.ts";

/**
 * Schema of a name or of the working directory. The prompt has no such limit. Only the maximum size of a gRPC message
 * limits the prompt.
 */
const short = z.string().max(4_096, { error: kontekstErrorTexts.longText });

/** Schema of a start command. */
export const RunStart = z.object({
	prompt: z.string(),
	sessionId: z.string().refine((id) => id === "" || isSessionId(id), {
		error: (issue) => kontekstErrorTexts.noSession({ id: JSON.stringify(String(issue.input).slice(0, 100)) }),
	}),
	agentName: short.transform((name) => name || undefined),
	workingDir: short,
	skill: z.object({ name: short, arguments: z.string() }).optional(),
});

export type RunStart = z.infer<typeof RunStart>;
