import { defined } from "@parley/base";
import type { ModelInfo, Prices, Profile, Profiles, Sampling } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import type { MethodsOf } from "./request.ts";

export const catalogueMethods: MethodsOf<"list_agents" | "list_models"> = {
	async list_agents({ deps }, { principal }) {
		return encodeAgents(await deps.runtime.agents(principal));
	},

	async list_models({ deps }, { principal }) {
		const { runtime, anyModel } = deps;
		const models = runtime.models(principal).map(encodeModel);
		return defined({ default: runtime.model, any_model: anyModel ? (true as const) : undefined, models });
	},
};

type AgentList = MethodResult<"list_agents">;
type ModelEntry = MethodResult<"list_models">["models"][number];

export function encodeAgents({ profiles, problems }: Awaited<ReturnType<Profiles["list"]>>): AgentList {
	return {
		agents: profiles.map(encodeAgent),
		problems: problems.map(({ name, message }) => ({ name, message })),
	};
}

function encodeAgent(profile: Profile): AgentList["agents"][number] {
	const { name, title, model, reasoning, sampling, tools, contextWindow, endpoint } = profile;
	return defined({
		name,
		title,
		model,
		reasoning,
		sampling: encodeSampling(sampling),
		tools: tools && [...tools],
		context_window: contextWindow,
		// Only the origin is shown, because the path may contain secrets of the operator.
		server: endpoint && new URL(endpoint.url).origin,
	});
}

function encodeSampling(sampling: Sampling): AgentList["agents"][number]["sampling"] {
	const { temperature, topP, topK, repeatPenalty, maxTokens } = sampling;
	return defined({
		temperature,
		top_p: topP,
		top_k: topK,
		repeat_penalty: repeatPenalty,
		max_tokens: maxTokens,
	});
}

export function encodeModel(model: ModelInfo): ModelEntry {
	const { id, provider, tier, contextWindow, maxOutput, reasoning, images, prices, longPrompt } = model;
	const { isSubscription: subscription } = model;
	return defined({
		name: id,
		provider,
		context_window: contextWindow,
		max_output: maxOutput,
		reasoning,
		images,
		tier,
		subscription,
		prices: prices && encodePrices(prices),
		long_prompt: longPrompt && { above: longPrompt.above, prices: encodePrices(longPrompt.prices) },
	});
}

function encodePrices({ input, output, cacheRead, cacheWrite }: Prices): NonNullable<ModelEntry["prices"]> {
	return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
