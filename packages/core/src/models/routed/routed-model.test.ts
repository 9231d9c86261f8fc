import { expect, test } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { createRoutedModel } from "./routed-model.ts";

class RecordingModel implements Model {
	readonly provider: string;
	readonly defaultModel: string;
	readonly requests: ModelRequest[] = [];

	constructor(provider: string) {
		this.provider = provider;
		this.defaultModel = `${provider}-1`;
	}

	async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
		this.requests.push(request);
		yield { type: "end", stop: "end_turn", usage: noUsage, model: `${request.model}-2026` };
	}
}

const request: ModelRequest = { model: "home-1", system: "", messages: [], tools: [] };

async function answer(
	model: Model,
	name: string,
	messages: ModelRequest["messages"] = [],
): Promise<ModelEvent[]> {
	const events: ModelEvent[] = [];
	const { signal } = new AbortController();
	for await (const event of model.stream({ ...request, model: name, messages }, signal)) events.push(event);
	return events;
}

test("a name with the prefix of a provider goes to this provider, and its answer has the prefix", async () => {
	const [home, other] = [new RecordingModel("home"), new RecordingModel("other")];
	const model = createRoutedModel(home, [other]);
	expect(model).toMatchObject({ provider: "home", defaultModel: "home-1" });
	expect(await answer(model, "other/m/1")).toMatchObject([{ model: "other/m/1-2026" }]);
	expect(await answer(model, "home/m")).toMatchObject([{ model: "m-2026" }]);
	expect(await answer(model, "m")).toMatchObject([{ model: "m-2026" }]);
	expect(other.requests.map((one) => one.model)).toEqual(["m/1"]);
	expect(home.requests.map((one) => one.model)).toEqual(["m", "m"]);
	expect(model.routeOf?.("other/m")).toBe(other);
	expect(model.routeOf?.("another/m")).toBe(home);
});

test("messages of a model have its own name, and messages of a model with the same name elsewhere have no name", async () => {
	const [home, other] = [new RecordingModel("home"), new RecordingModel("other")];
	const model = createRoutedModel(home, [other]);
	const messages: ModelRequest["messages"] = [
		{ role: "user", content: [{ type: "text", text: "Hello" }] },
		{ role: "assistant", model: "other/m", content: [{ type: "text", text: "Good morning" }] },
		{ role: "assistant", model: "m", content: [{ type: "text", text: "Good morning" }] },
	];
	await answer(model, "other/m", messages);
	await answer(model, "other/m", messages);
	const [first, second] = other.requests.map((one) => one.messages);
	expect(first?.map((message) => (message.role === "assistant" ? message.model : ""))).toEqual([
		"",
		"m",
		undefined,
	]);
	expect(first?.[1]).toBe(second?.[1]);
	expect(first?.[2]).toBe(second?.[2]);
	expect(first?.[0]).toBe(messages[0]);
});

test("a model of the home provider with the name of another provider keeps the prefix in its answers", async () => {
	const [home, other] = [new RecordingModel("home"), new RecordingModel("other")];
	const model = createRoutedModel(home, [other]);
	const messages: ModelRequest["messages"] = [
		{ role: "assistant", model: "home/other/m", content: [{ type: "text", text: "Good morning" }] },
		{ role: "assistant", model: "other/m", content: [{ type: "text", text: "Good morning" }] },
	];
	expect(await answer(model, "home/other/m", messages)).toMatchObject([{ model: "home/other/m-2026" }]);
	expect(other.requests).toEqual([]);
	const [sent] = home.requests;
	expect(sent?.model).toBe("other/m");
	expect(sent?.messages.map((one) => (one.role === "assistant" ? one.model : ""))).toEqual([
		"other/m",
		undefined,
	]);
});

test("the name of one provider alone may have its prefix, too", async () => {
	const home = new RecordingModel("home");
	const model = createRoutedModel(home, []);
	expect(await answer(model, "home/m")).toMatchObject([{ model: "m-2026" }]);
	await answer(model, "other/m");
	expect(home.requests.map((one) => one.model)).toEqual(["m", "other/m"]);
});
