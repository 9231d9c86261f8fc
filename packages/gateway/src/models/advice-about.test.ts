import { expect, test } from "vitest";
import { adviceAbout } from "./advice-about.ts";

const again = "restart the gateway";

test.each([
	[
		"offline",
		"openai/gpt-x",
		`the gateway does not use openai; the operator must set OPENAI_API_KEY and ${again}`,
	],
	[
		"anthropic",
		"gemini/g",
		`the gateway does not use gemini; the operator must set GEMINI_API_KEY and ${again}`,
	],
	[
		"groq",
		"openai/gpt-x",
		`the gateway does not use openai; the operator must set OPENAI_API_KEY, add "openai": {} to models.providers, and ${again}`,
	],
	[
		"offline",
		"ollama/q",
		`the gateway does not use ollama; the operator must add "ollama": {} to models.providers and ${again}`,
	],
	["openai", "openai/gpt-x", undefined],
	["offline", "openai/", undefined],
	["offline", "gpt-x", undefined],
	["offline", "unknown/x", undefined],
])("with the provider %s, the advice about the model %s is correct", (provider, name, advice) => {
	expect(adviceAbout({ provider })(name)).toBe(advice);
});
