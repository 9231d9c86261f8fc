import { expect, test } from "vitest";
import { adviceAbout } from "./advice-about.ts";

const again = "and starts the gateway again";

test.each([
	["offline", "openai/gpt-x", `the gateway does not use openai; the operator sets OPENAI_API_KEY, ${again}`],
	["anthropic", "gemini/g", `the gateway does not use gemini; the operator sets GEMINI_API_KEY, ${again}`],
	[
		"groq",
		"openai/gpt-x",
		`the gateway does not use openai; the operator sets OPENAI_API_KEY and adds "openai": {} to models.providers, ${again}`,
	],
	[
		"offline",
		"ollama/q",
		`the gateway does not use ollama; the operator adds "ollama": {} to models.providers, ${again}`,
	],
	["openai", "openai/gpt-x", undefined],
	["offline", "openai/", undefined],
	["offline", "gpt-x", undefined],
	["offline", "unknown/x", undefined],
])("with %s, the advice about %s", (provider, name, advice) => {
	expect(adviceAbout({ provider })(name)).toBe(advice);
});
