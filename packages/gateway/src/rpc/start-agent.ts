import { lstatSync } from "node:fs";
import type { ComingAgent } from "../wires/zot/connection.ts";
import { checkStart, type OpenAgentOptions, policyIn } from "./check-start.ts";
import type { OpenAgent } from "./open-agent.ts";

/** An agent that answers now or is to come, and the end of either. */
export interface StartedAgent extends Omit<OpenAgent, "agent"> {
	readonly agent: OpenAgent["agent"] | ComingAgent;
}

/**
 * Rejects with what whoever starts the process can mend. Where nothing is left that could be wrong, because nothing is kept
 * and there are no rules of the operator's, the agent is one to come: loading the core takes most of the start.
 */
export async function startAgent(options: OpenAgentOptions): Promise<StartedAgent> {
	const { config, flags, log } = options;
	const checked = await checkStart(options);
	const { model, modelName = model.defaultModel, table, preload } = checked.models;
	const load = async (): Promise<OpenAgent> => {
		const { openAgent } = await import("./open-agent.ts");
		const opened = await openAgent(options, checked);
		setImmediate(() => {
			preload().catch((error: unknown) => log.warn("the provider's library could not be loaded", { error }));
		});
		return opened;
	};
	if (flags.session !== undefined || mayExist(policyIn(config))) return load();
	let opening: Promise<OpenAgent> | undefined;
	return {
		agent: {
			provider: model.provider,
			model: table.find(modelName, model.provider)?.id ?? modelName,
			async open() {
				opening = load();
				return (await opening).agent;
			},
		},
		close: async () => (await opening)?.close(),
	};
}

/** Also where nobody can tell. */
function mayExist(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch {
		return true;
	}
}
