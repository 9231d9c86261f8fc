import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test as plainTest } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import type { Screen } from "./screen.ts";
import { Setup } from "./setup.ts";

interface Fixtures {
	readonly fake: FakeAnthropic;
	readonly setup: Setup;
	/** Compares the screen with the golden file of this name. */
	readonly golden: (screen: Screen, name: string) => Promise<void>;
}

/** A test that shares a gateway with the other tests of its file. The gateway uses the simulator. */
const test = plainTest.extend<Fixtures>({
	fake: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
		async ({}, use) => {
			await using fake = await FakeAnthropic.start();
			await use(fake);
		},
		{ scope: "file" },
	],
	setup: [
		async ({ fake }, use) => {
			const setup = await Setup.open({
				ANTHROPIC_API_KEY: fake.apiKey,
				ANTHROPIC_BASE_URL: fake.url,
				// The tests do not script replies to title requests.
				PARLEY_TITLES: "false",
				PARLEY_MODEL: "standard",
			});
			await use(setup);
			await setup.close();
		},
		{ scope: "file" },
	],
	golden: async ({ setup }, use) => {
		await use(async (screen, name) => {
			const text = setup.normalise(screen.text).replaceAll(/\d{4}-\d\d-\d\d/g, "YYYY-MM-DD");
			await expect(text).toMatchFileSnapshot(`./screens/${name}.txt`);
		});
	},
});

/** Replaces token counts and costs, because they depend on the length of the prompt or of paths. */
function withoutFigures(text: string): string {
	return text.replaceAll(/[\d.]+k?(?= tokens in| cached| out)/g, "N").replaceAll(/<?\$[\d.]+/g, "$N");
}

test("the model and the usage are below an answer, and /model and /usage show more", async ({
	fake,
	setup,
}) => {
	fake.script(says("Good morning, who is there?"), says("Good evening."));
	const chat = await setup.chat();
	await chat.enter("hello");
	await chat.rests("Good morning, who is there?\nclaude-sonnet-5-5 · ");
	await chat.enter("/model fast");
	await chat.rests("model from the next message on: claude-haiku-5-5");
	await chat.enter("good night");
	await chat.rests("Good evening.\nclaude-haiku-5-5 · ");
	await chat.enter("/usage");
	await chat.rests("total ");
	const text = withoutFigures(chat.text);
	expect(text).toContain("› hello\nGood morning, who is there?\nclaude-sonnet-5-5 · N tokens in");
	expect(text).toMatch(/› good night\nGood evening\.\nclaude-haiku-5-5 · N tokens in.*, N out · \$N\nMODEL /);
	expect(text).toMatch(/^claude-sonnet-5-5 +1 .*\nclaude-haiku-5-5 +1 |^claude-haiku-5-5 +1 .*\nclaude-son/m);
	chat.type("/model cl\t");
	await chat.until("the model is completed", () => chat.typed === "› /model claude-sonnet-5-5 ");
	chat.type("\r");
	await chat.rests("model from the next message on: claude-sonnet-5-5");
});

test("a failed model call is retried, and the reason is shown during the wait", async ({ fake, setup }) => {
	fake.script({ status: 529 }, says("At last."));
	const chat = await setup.chat();
	await chat.enter("hello");
	await chat.shows("; trying again in 1 s, attempt 2 · ");
	await chat.rests("At last.");
	expect(chat.text).not.toContain("trying again");
});

test("a message to the active turn reaches the model in that turn, and a reply can be retried", async ({
	fake,
	setup,
}) => {
	const words = Array.from({ length: 40 }, (_, index) => `word${index} `).join("");
	const before = fake.requests.length;
	fake.script({ ...says(words), everyMs: 50 }, says("As you wish."), says("As you like."));
	const chat = await setup.chat();
	await chat.enter("talk");
	await chat.shows("word9");
	await chat.enter("/steer be brief");
	await chat.shows("  to the running turn: be brief");
	await chat.rests("As you wish.");
	expect(JSON.stringify((await fake.received(before + 2)).body.messages.at(-1))).toContain("be brief");
	await chat.enter("/retry");
	await chat.rests("As you like.");
	const text = withoutFigures(chat.text);
	expect(text).toMatch(/word39\n\n› be brief\nAs you wish\.\nclaude-sonnet-5-5 · N tokens in/);
	expect(text).toMatch(/\n\n› \(retry of the last reply\)\nAs you like\.\nclaude-sonnet-5-5 · N/);
});

test("ask names the model on stderr, and in JSON with its usage", async ({ fake, setup }) => {
	fake.script(says("Hello."), says("Hello."));
	const ask = setup.run("ask", "hello");
	expect(await ask.ended()).toBe(0);
	expect(withoutFigures(ask.text)).toMatch(/Hello\.\nclaude-sonnet-5-5 · N tokens in.*, N out · \$N$/);
	const json = setup.run("ask", "--json", "--model", "max", "hello");
	expect(await json.ended()).toBe(0);
	expect(json.received).toMatch(
		/"model":"claude-opus-5-5","usage":\{"tokens_input":\d+,.*"cost_usd":0\.\d+\}/,
	);
});

test("an agent of the operator answers with its own instructions, and a broken one is reported", async ({
	fake,
	setup,
	golden,
}) => {
	const write = (path: string, text: string): void => {
		mkdirSync(join(setup.data, "agents", path, ".."), { recursive: true });
		writeFileSync(join(setup.data, "agents", path), text);
	};
	write("poet/config.toml", 'name = "Poet"\nmodel = "fast"\ntools = ["read_file"]\nreasoning = "low"\n');
	write("poet/agent.md", "You answer in verse.\n");
	write("typo/config.toml", "[sampling]\ntemprature = 1\n");
	const agents = setup.run("agents");
	expect(await agents.ended()).toBe(1);
	await golden(agents, "agents");
	fake.script(says("Roses are red."));
	const ask = setup.run("ask", "--profile", "poet", "hello");
	expect(await ask.ended()).toBe(0);
	expect(ask.text).toContain("Roses are red.\nclaude-haiku-5-5 · ");
	const { body } = await fake.received(fake.requests.length);
	expect(JSON.stringify(body.system)).toContain("You answer in verse.\\n");
	expect(JSON.stringify(body.system)).toContain("# Trust");
	expect(body.tools).toMatchObject([{ name: "read_file" }]);
	const unknown = setup.run("ask", "--profile", "poe", "hello");
	expect(await unknown.ended()).toBe(2);
	expect(unknown.text).toContain("agent not found: poe; available: default, poet");
});

test("budgets are set, shown and removed", async ({ setup, golden }) => {
	for (const args of [["set", "day", "5"], ["set", "month", "$50.5"], []]) {
		expect(await setup.run("budget", ...args).ended()).toBe(0);
	}
	const budget = setup.run("budget");
	await budget.ended();
	expect(withoutFigures(budget.text)).toMatch(
		/^all sessions, today +[█░]+ +\d+ % +\S+ of \$N +set by the operator\nall sessions, this month +[█░]+ /,
	);
	expect(await setup.run("budget", "set", "day", "configured").ended()).toBe(0);
	const lifted = setup.run("budget", "set", "month", "none");
	expect(await lifted.ended()).toBe(0);
	expect(withoutFigures(lifted.text)).toMatch(
		/^all sessions, this month +\S+, no limit +set by the operator$/,
	);
	const wrong = setup.run("budget", "set", "day", "much");
	expect(await wrong.ended()).toBe(2);
	await golden(wrong, "budget-usage");
});

test("the models are listed, and status names the active one", async ({ setup }) => {
	const models = setup.run("models", "--json");
	expect(await models.ended()).toBe(0);
	expect(models.received).toContain('"default": "claude-sonnet-5-5"');
	const table = setup.run("models");
	expect(await table.ended()).toBe(0);
	expect(table.received).toMatch(/▸ {2}claude-sonnet-5-5 +standard +1M +128k /);
	const status = setup.run("status");
	expect(await status.ended()).toBe(0);
	expect(status.text).toContain("model     claude-sonnet-5-5 (anthropic)");
});
