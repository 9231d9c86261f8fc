import { ManualClock } from "@parley/base/testing";
import { type Model, ModelError, noUsage } from "@parley/core";
import { ScriptedModel, says } from "@parley/core/testing";
import { type GatewayOptions, TestGateway } from "../conformance/gateway.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says as replies } from "../simulators/anthropic/reply.ts";

export interface Stage extends AsyncDisposable {
	readonly gateway: TestGateway;
	readonly pass?: (ms: number) => void;
}

interface Setting {
	readonly options?: GatewayOptions;
	readonly close?: () => Promise<void>;
}

/** Stages by their name in `<!-- stage: NAME -->`. */
const stages: Readonly<Record<string, () => Promise<Setting>>> = {
	offline: async () => ({}),
	/** A gateway with a public URL, for pages in a browser. */
	public: async () => ({ options: { config: { publicUrl: "https://parley.example" } } }),
	/** A gateway with a manual clock, which only the document advances. */
	patient: async () => ({ options: { clock: new ManualClock() } }),
	/** A gateway whose first model call fails with a transient error. */
	overloaded: async () => ({ options: { clock: new ManualClock(), model: overloadedOnce() } }),
	/** A gateway that treats its container as the sandbox. */
	container: async () => ({ options: { config: { sandbox: "container" } } }),
	claude,
	narrow: async () => ({
		options: {
			model: listener,
			data: modelsFile([
				{ id: listener.defaultModel, provider: "listener", context_window: 20_000, max_output: 1_000 },
			]),
		},
	}),
	/** A gateway in which writing a file requires two approvals. */
	votes: async () => ({
		options: {
			data: {
				"policy.jsonc": JSON.stringify({
					rules: [{ effect: "ask", tool: "write_file", approvals: 2 }],
				}),
			},
		},
	}),
	/** A gateway with a skill whose last step never meets its criteria. */
	skills: async () => ({
		options: {
			data: {
				"skills/release.md": [
					"---",
					"description: Builds and ships a release",
					"steps:",
					"  - {id: build, title: Build, prompt: 'say: built $ARGUMENTS'}",
					"  - {id: ship, title: Ship, needs: build, prompt: 'say: shipped', criteria: 'contains: v1.4'}",
					"---",
					"",
				].join("\n"),
			},
		},
	}),
	/** A gateway with the default agent, a valid profile and an invalid profile. */
	agents: async () => ({
		options: {
			data: {
				"agents/poet/config.toml":
					'name = "The poet"\ntools = ["read_file"]\n[sampling]\ntemperature = 0.5\n',
				"agents/poet/agent.md": "You answer in rhyme.",
				"agents/broken/config.toml": "[sampling]\ntemperature = 9\n",
			},
		},
	}),
};

export async function openStage(name: string): Promise<Stage> {
	const build = stages[name];
	if (!build) throw new Error(`there is no stage ${name}; there are ${Object.keys(stages).join(", ")}`);
	const { options = {}, close } = await build();
	const gateway = await TestGateway.start(options);
	const { clock } = options;
	return {
		gateway,
		...(clock && { pass: (ms: number) => clock.advance(ms) }),
		[Symbol.asyncDispose]: async () => {
			await gateway[Symbol.asyncDispose]();
			await close?.();
		},
	};
}

async function claude(): Promise<Setting> {
	const fake = await FakeAnthropic.start();
	fake.otherwise(replies("Here I am."));
	const { apiKey, url: baseUrl } = fake;
	const data = modelsFile([{ id: "claude-haiku-5-5" }]);
	const config = { provider: "anthropic", apiKey, baseUrl, model: "claude-sonnet-5-5" } as const;
	return { options: { data, config }, close: () => fake.close() };
}

function modelsFile(models: readonly object[]): Record<string, string> {
	return { "models.json": JSON.stringify({ models }) };
}

function overloadedOnce(): Model {
	const reason = "api.anthropic.com cannot answer now (529)";
	const overloaded = {
		async *[Symbol.asyncIterator]() {
			yield await Promise.reject(new ModelError(reason, { fault: "overloaded" }));
		},
	};
	return new ScriptedModel(() => overloaded, [says("Here I am.")]);
}

/** Model that counts one token per four characters. */
const listener: Model = {
	provider: "listener",
	defaultModel: "listener",
	async *stream({ system, messages, tools }) {
		yield says("I see.");
		const inputTokens = Math.ceil(JSON.stringify({ system, messages, tools }).length / 4);
		yield { type: "end", stop: "end_turn", usage: { ...noUsage, inputTokens }, model: "listener" };
	},
};
