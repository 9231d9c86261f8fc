import { type Clock, ParleyError, silentLogger } from "@parley/base";
import type { Config } from "../config/load.ts";
import { modelTestTexts } from "../texts/models/test-model.ts";
import { openModels } from "./open-models.ts";

const patienceMs = 60_000;
/** Maximum number of tokens of the response. This number suffices even for models that think before they answer. */
const maxTokens = 512;

/** Result of a successful test of the configured model. */
export interface ModelTest {
	readonly model: string;
	/** Milliseconds until the first text of the response, or until the end of a response without text. */
	readonly durationMs: number;
}

/**
 * Sends one short message to the configured model. The call usually costs less than a cent. Rejects with the reason for a
 * failure, for example a refused key, an unknown model or no connection.
 */
export async function testModel(config: Config, clock: Clock): Promise<ModelTest> {
	const { model, modelName, table } = await openModels({ config, clock, log: silentLogger });
	const name = modelName ?? model.defaultModel;
	const id = table.find(name, model.provider)?.id ?? name;
	const start = clock.monotonic();
	const request = {
		model: id,
		system: modelTestTexts.system,
		messages: [{ role: "user", content: [{ type: "text", text: modelTestTexts.message }] }],
		tools: [],
		sampling: { maxTokens },
	} as const;
	for await (const event of model.stream(request, AbortSignal.timeout(patienceMs))) {
		if (event.type === "text" || event.type === "end") {
			return { model: id, durationMs: clock.monotonic() - start };
		}
	}
	throw new ParleyError(modelTestTexts.noAnswer({ model: id }), { code: "unavailable" });
}
