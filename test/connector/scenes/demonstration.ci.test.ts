import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasBubblewrap } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect, test } from "vitest";
import { KontekstStream } from "../../conformance/drivers/kontekst-client.ts";
import { RozStream } from "../../conformance/drivers/roz-client.ts";
import { binary } from "../../gateway-process.ts";
import { ClientHost } from "../../zot/client-host.ts";
import { normalised } from "./normalised.ts";
import { Notebook } from "./notebook.ts";
import { performStep } from "./play.ts";
import { PlayedScene } from "./played-scene.ts";
import { SceneGateway } from "./scene-gateway.ts";
import { readable } from "./shown-posts.ts";
import { SlackSite } from "./slack-site.ts";
import type { Scene, Step } from "./step.ts";

const scene: Scene = { name: "a release", steps: [] };

const release = [
	...["---", "name: release", "description: Ships the release", "steps:"],
	...["  - id: ship", "    title: Ship", '    prompt: "run: echo shipped | tee release.txt"', "---", ""],
].join("\n");

/** Returns the posts of a transcript that have a fixed order. */
function postsAbout(transcript: string): string {
	const [head = "", ...posts] = transcript.split(/^ {4}\| Parley$/m);
	const answered = [/From the terminal: \/release/, /`run_command`/, /run_command returned/];
	const chosen = answered.map((words) => posts.find((post) => words.test(post)) ?? "");
	return [head.trimEnd(), ...chosen.map((post) => post.trimEnd())].join("\n    | Parley");
}

/** Replaces ids, times, directories and counts, because they differ between runs or versions. */
function steady(text: string, directory: string): string {
	return normalised(text.replaceAll(directory, "/parley"))
		.replace(/\b(task|sess)_[0-9a-z]{6,}/g, "$1_ID")
		.replace(/(connector:slack)-\w+/g, "$1")
		.replace(/\bDATE:\d\d\b/g, "DATE")
		.replace(/\b\d+ days ago\b/g, "just now")
		.replace(/[\d,]+ input tokens, [\d,]+ output tokens/g, "TOKENS");
}

test("a task from a roz client is approved in Slack, a kontekst client waits for it, and a terminal prints its result", async ({
	skip,
}) => {
	skip(!hasBubblewrap, "bubblewrap is not installed here");
	await using sceneGateway = await SceneGateway.create([scene], (_, parts) => new SlackSite(parts));
	await using played = await PlayedScene.open(sceneGateway, sceneGateway.site(scene));
	const slack = new Notebook(played);
	const play = async (...steps: readonly Step[]): Promise<void> => {
		for (const step of steps) await performStep(slack, step);
	};
	const data = join(sceneGateway.memoryDirectory, "data");
	await mkdir(join(data, "skills"));
	await writeFile(join(data, "skills", "release.md"), release);
	const access = { token: (await readOperatorToken(data)) ?? "" };

	await play({ says: "@Parley say: We release today." }, { shows: "We release today." });
	const { sessions } = await sceneGateway.through(sceneGateway.operator.request("list_sessions", {}));
	const [{ session_id: session } = { session_id: "" }] = sessions;

	const headers = { "parley-session-id": session };
	await using roz = new RozStream(sceneGateway.url, { ...access, headers });
	await sceneGateway.through(roz.start());
	roz.say("/release");
	await play({ shows: ["Approval", "run_command", "[Approve once]"] });

	await using kontekst = new KontekstStream(sceneGateway.url, access);
	kontekst.start({ sessionId: session, prompt: "read: release.txt" });
	await play({ clicks: "Approve once", by: "Alex" }, { shows: ["✅ **Approved", "by @Alex"] });
	expect(await sceneGateway.through(roz.until("turnComplete"))).toMatchObject({ stopReason: "end_turn" });
	// A kontekst run sends every approval request to its client.
	const calls = await sceneGateway.through(kontekst.proposed());
	for (const { callId } of calls) kontekst.approve(callId);
	const { kind, value } = await sceneGateway.through(kontekst.last());
	expect(kind).toBe("completed");

	using terminal = new ClientHost();
	const env = { PARLEY_URL: sceneGateway.url, PARLEY_TOKEN: access.token };
	const ran = async (...args: string[]): Promise<string> => {
		const ended = await sceneGateway.through(terminal.run([process.execPath, binary, ...args], { env }));
		expect(ended).toMatchObject({ code: 0, stderr: "" });
		return ended.stdout;
	};
	const listed = await ran("tasks", "--all");
	const [taskId = ""] = /task_\w+/.exec(listed) ?? [];
	const shown = await ran("task", "show", taskId);
	expect(shown).toContain("shipped");
	const { Mia } = played.site.people;
	await play({ shows: ["run_command returned", "[Good]"] });
	const recording = [
		"A roz client, in the session of a Slack channel",
		`> /release\n${roz.text("textDelta")}`,
		"Slack, as Mia sees it",
		postsAbout(normalised(readable(played.site.room("general", Mia).transcript(Mia)))),
		"A kontekst client, in the same session at the same time",
		`> read: release.txt\n${calls.map(({ name, argumentsJson }) => `approved: ${name} ${argumentsJson}`).join("\n")}\n${value["content"]}`,
		"A terminal",
		`$ parley tasks --all\n${listed}`,
		`$ parley task show ${taskId}\n${shown}`,
	];
	const text = recording.map((part) => part.trim()).join("\n\n");
	await expect(`${steady(text, sceneGateway.memoryDirectory)}\n`).toMatchFileSnapshot(
		"../../../docs/protocols/demonstration.txt",
	);
	expect(played.site.drainFaults()).toEqual([]);
}, 60_000);
