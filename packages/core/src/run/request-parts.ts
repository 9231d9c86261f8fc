import type { ModelRequest } from "../model.ts";
import type { Session } from "../session/session.ts";
import type { RunDeps } from "./run.ts";
import { limitsOf, type RunSettings } from "./settings.ts";

/** For whom a model is called. */
export interface Calling {
	readonly session: Session;
	readonly settings: RunSettings;
	readonly deps: Pick<RunDeps, "table" | "budgets" | "systemPrompt">;
}

/** What a request holds beside its messages. */
export interface RequestParts {
	readonly parts: Omit<ModelRequest, "messages">;
	/** In tokens. */
	readonly limits: ReturnType<typeof limitsOf>;
}

/** Those of the session's requests to this model. */
export async function requestParts(
	{ session, settings, deps }: Calling,
	model: string,
): Promise<RequestParts> {
	const limits = limitsOf(settings, model, deps.table);
	const parts = {
		model,
		system: await deps.systemPrompt(session, settings.instructions),
		tools: settings.descriptions,
		...(settings.reasoning && { reasoning: settings.reasoning }),
		sampling: { ...settings.sampling, maxTokens: limits.maxOutput },
	};
	return { parts, limits };
}
