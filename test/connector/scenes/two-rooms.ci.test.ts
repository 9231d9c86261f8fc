import { createIds, ParleyError } from "@parley/base";
import { hasBubblewrap } from "@parley/core/testing";
import { type Client, createClient } from "@parley/protocol";
import { expect, test } from "vitest";
import { DiscordSite } from "./discord-site.ts";
import { Notebook } from "./notebook.ts";
import { performStep } from "./play.ts";
import { PlayedScene } from "./played-scene.ts";
import { SceneGateway } from "./scene-gateway.ts";
import { SlackSite } from "./slack-site.ts";
import type { Scene, Step } from "./step.ts";

const slackScene: Scene = { name: "in Slack", steps: [] };
const beside: Scene = { name: "in Discord", steps: [] };

async function watch(sceneGateway: SceneGateway, client: Client, session_id: string): Promise<string[]> {
	const seen: string[] = [];
	const reader = await sceneGateway.through(client.open({ session_id, after_seq: 0 }));
	void (async () => {
		for await (const { event } of reader.events()) seen.push(event);
	})();
	return seen;
}

async function openRooms() {
	const sceneGateway = await SceneGateway.create([slackScene, beside], (scene, parts) =>
		scene === slackScene ? new SlackSite(parts) : new DiscordSite(parts),
	);
	await using opened = new AsyncDisposableStack();
	opened.use(sceneGateway);
	const slack = opened.use(await PlayedScene.open(sceneGateway, sceneGateway.site(slackScene)));
	const discord = opened.use(await PlayedScene.open(sceneGateway, sceneGateway.site(beside)));
	const open = opened.move();
	const [inSlack, inDiscord] = [new Notebook(slack), new Notebook(discord)];
	return {
		...{ sceneGateway, slack, discord, inSlack, inDiscord },
		async play(notebook: Notebook, steps: readonly Step[]): Promise<void> {
			for (const step of steps) await performStep(notebook, step);
		},
		async asking(): Promise<string> {
			const { sessions } = await sceneGateway.through(sceneGateway.operator.request("list_sessions", {}));
			const own = sessions.find(({ external_key = "" }) => external_key.startsWith("slack:"));
			return own?.session_id ?? "";
		},
		async third(session: string): Promise<Client> {
			const tokenRequest = { kind: "observer" as const, name: "wall", sessions: [session] };
			const { token } = await sceneGateway.through(
				sceneGateway.operator.request("create_token", tokenRequest),
			);
			return createClient({ url: sceneGateway.url, token, clock: sceneGateway.clock, ids: createIds() });
		},
		drainFaults: () => [...slack.site.drainFaults(), ...discord.site.drainFaults()],
		[Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
	};
}

const taskEvents = ["task.created", "task.started", "prompt.request", "prompt.response", "task.completed"];
const ofTask = /^(?:task\.(?!progress)|prompt\.)/;

test("two channels of two platforms share a gateway: a question of one is answered there only, and a third client watches its task", async ({
	skip,
}) => {
	skip(!hasBubblewrap, "bubblewrap is not installed here");
	await using rooms = await openRooms();
	const { sceneGateway, discord, inSlack, inDiscord, play } = rooms;

	await play(inSlack, [
		{ commands: "/task new", with: { text: "run: echo shipped > release.txt", title: "Ship" } },
		{ shows: ["Approval", "the task wants to use `run_command`", "[Approve once]"], in: "Ship" },
	]);
	await play(inDiscord, [
		{ says: "@Parley write: notes.txt <<< hello" },
		{ shows: "[Approve once]" },
		{ hides: "release.txt" },
	]);

	const session = await rooms.asking();
	const third = await rooms.third(session);
	const seen = await watch(sceneGateway, third, session);

	// An approver of the other channel has no permission here, whichever request the connector sends.
	const { prompts } = await sceneGateway.through(sceneGateway.operator.request("list_prompts", {}));
	const prompt = prompts.find(({ session_id }) => session_id === session);
	expect(prompt).toBeDefined();
	const other = createClient({
		url: sceneGateway.url,
		token: discord.token,
		clock: sceneGateway.clock,
		ids: createIds(),
	});
	const { tenant, people, place } = discord.site;
	const answer = {
		...{ token: prompt?.token ?? "", value: "once" },
		actor: { id: people.Alex.id, name: "Alex", roles: [], guest: false },
		place: { tenant, channel: place[0].split(":").at(-1) ?? "", shared: false },
	};
	const refused = sceneGateway
		.through(other.request("prompt_response", answer, { sessionId: session }))
		.catch(ParleyError.from);
	expect(await refused).toMatchObject({ code: "permission_denied" });

	await play(inSlack, [
		{ clicks: "Approve once", by: "Alex", in: "Ship" },
		{ shows: ["✅ **Approved", "by @Alex"], in: "Ship" },
		{ shows: ["**Ship**", "✅ Done"], times: 1 },
		{ shows: "✅ **Done**", in: "Ship" },
		{ notified: ["Mia"] },
		{ file: "release.txt", has: "shipped\n" },
	]);
	await play(inDiscord, [
		{ clicks: "Approve once", by: "Alex" },
		{ shows: "write_file returned" },
		{ hides: "Ship" },
	]);
	await sceneGateway.until(
		() => seen.includes("task.completed"),
		"the third client sees the end of the task",
	);
	expect(seen.filter((event) => ofTask.test(event))).toEqual(taskEvents);
	await Promise.all([third.close(), other.close()]);
	expect(rooms.drainFaults()).toEqual([]);
});

test("a call in Slack is approved in Discord as the operator has set, and a third client watches its task", async ({
	skip,
}) => {
	skip(!hasBubblewrap, "bubblewrap is not installed here");
	await using rooms = await openRooms();
	const { sceneGateway, slack, discord, inSlack, inDiscord, play } = rooms;
	const [[from, { root }], [to]] = [slack.site.place, discord.site.place];
	const profile = { root: String(root), approve_in: [to] };
	await sceneGateway.through(sceneGateway.operator.request("set_place", { place: from, profile }));

	await play(inSlack, [
		{ commands: "/task new", with: { text: "run: echo shipped > release.txt", title: "Ship" } },
		{
			shows: ["Approval", "[Approve once]", "[Details]"],
			in: "Ship",
		},
	]);
	const session = await rooms.asking();
	const third = await rooms.third(session);
	const seen = await watch(sceneGateway, third, session);

	await play(inDiscord, [
		// The approval is visible only in this channel and only to approvers.
		{ hides: "release.txt" },
		{ commands: "/approvals", by: "Mia" },
		{ answered: "Only approvers of this channel can approve this" },
		{ commands: "/approvals", by: "Alex", in: "random" },
		{ answered: "There are no open approvals" },
		{ commands: "/approvals", by: "Alex" },
		{
			answered: [
				"the task wants to use `run_command`",
				"Requested by Mia in another channel of Slack",
				"release.txt",
				"[Approve once]",
			],
		},
		{ clicks: "Approve once", by: "Alex" },
		{
			answered: [
				"the task wants to use `run_command`",
				"Requested by Mia in another channel of Slack",
				"✅ **Approved once**",
				"@Alex",
			],
		},
	]);
	await play(inSlack, [
		{ shows: ["✅ **Approved once**", "by Alex (Discord)"], in: "Ship" },
		{ shows: ["**Ship**", "✅ Done"], times: 1 },
		{ shows: "✅ **Done**", in: "Ship" },
		{ notified: ["Mia"] },
		{ file: "release.txt", has: "shipped\n" },
	]);
	await sceneGateway.until(
		() => seen.includes("task.completed"),
		"the third client sees the end of the task",
	);
	expect(seen.filter((event) => ofTask.test(event))).toEqual(taskEvents);
	await third.close();

	const { people } = discord.site;
	const principal = `discord:${discord.site.tenant}:${people.Alex.id}`;
	const { records } = await sceneGateway.through(sceneGateway.operator.request("read_audit", { principal }));
	expect(records.filter(({ action }) => action === "approval.decide")).toMatchObject([
		{ via: "ozzie", object: expect.stringContaining(session), decision: "approved", args: { place: to } },
	]);
	expect(rooms.drainFaults()).toEqual([]);
});

test("the first of two approvers in two channels decides, and the other one is informed", async ({
	skip,
}) => {
	skip(!hasBubblewrap, "bubblewrap is not installed here");
	await using rooms = await openRooms();
	const { sceneGateway, slack, discord, inSlack, inDiscord, play } = rooms;
	const [[from, { root }], [to]] = [slack.site.place, discord.site.place];
	const profile = { root: String(root), approve_in: [to] };
	await sceneGateway.through(sceneGateway.operator.request("set_place", { place: from, profile }));
	await play(inSlack, [
		{ commands: "/task new", with: { text: "run: echo shipped > release.txt", title: "Ship" } },
		{ shows: ["Approval", "[Deny]"], in: "Ship" },
	]);
	await play(inDiscord, [
		{ commands: "/approvals", by: "Alex" },
		{ answered: ["Requested by Mia in another channel of Slack", "[Approve once]"] },
	]);
	await play(inSlack, [
		{ clicks: "Deny", by: "Alex", in: "Ship", fills: { reason: "not on a Friday" } },
		{ shows: ["⛔ **Denied**", "not on a Friday"], in: "Ship" },
		{ shows: "✅ **Done**", in: "Ship" },
		{ notified: ["Mia"] },
	]);
	await play(inDiscord, [{ clicks: "Approve once", by: "Alex" }, { answered: "This approval is closed" }]);
	await play(inSlack, [{ file: "release.txt", has: null }]);
	expect(rooms.drainFaults()).toEqual([]);
});
