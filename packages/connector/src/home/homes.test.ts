import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

async function openStage(): Promise<Stage> {
	const stage = await Stage.open();
	stage.gateway.methods.list_skills = () => ({ skills: [], problems: [], digest: "" });
	stage.gateway.methods.list_schedules = () => ({ schedules: [] });
	return stage;
}

let opened = 0;

async function openHome(stage: Stage, by = "ada"): Promise<void> {
	opened += 1;
	const event = {
		type: "home",
		tab: "page",
		room: stage.room("dm", by),
		person: stage.person(by),
		at: stage.clock.now(),
	} as const;
	await stage.arrive(event, `home:${opened}`);
}

function pages(stage: Stage): { readonly count: number; readonly now: string } {
	const { calls, posts } = stage.platform.surface;
	const now = posts
		.filter(({ payload }) => JSON.stringify(payload).includes('"type":"home"'))
		.at(-1)?.payload;
	return { count: calls.filter((each) => each.includes('"type":"home"')).length, now: JSON.stringify(now) };
}

test("a home page is published when it is opened, and again when its content changes", async () => {
	const stage = await openStage();
	await openHome(stage);
	expect(pages(stage)).toMatchObject({ count: 1, now: expect.stringContaining("No work is running.") });
	await playScene([{ says: "sort it" }, { passes: 20_000 }], stage);
	expect(pages(stage)).toMatchObject({
		count: 2,
		now: expect.stringContaining("press a button to stop its conversation"),
	});
	await playScene([{ gateway: { answers: "sorted" } }, { passes: 20_000 }], stage);
	expect(pages(stage)).toMatchObject({ count: 3, now: expect.stringContaining("No work is running.") });
	await playScene([{ passes: 3_600_000 }], stage);
	expect(pages(stage).count).toBe(3);
});

test("many changes update a page at most every 15 seconds, and a page that was opened long ago is not updated", async () => {
	const stage = await openStage();
	const room = { ...stage.room(), tenant: "guild" };
	stage.platform.readable = async () => stage.room("general");
	const event = { type: "home", tab: "page", room, person: stage.person(), at: stage.clock.now() } as const;
	await stage.arrive(event, "home:busy");
	for (let n = 0; n < 9; n++) {
		const thread = `general/post ${n}`;
		await playScene([{ says: `do ${n}`, in: thread, mentions: "us" }, { passes: 3000 }], stage);
	}
	const { count } = pages(stage);
	expect(count).toBe(3);
	await playScene([{ passes: 13 * 3_600_000 }], stage);
	const last = pages(stage).count;
	await playScene([{ says: "later", in: "general/post 99", mentions: "us" }, { passes: 60_000 }], stage);
	expect(pages(stage).count).toBe(last);
});

test("a channel with unknown readers stays hidden, and its controls have no effect", async () => {
	const stage = await openStage();
	await playScene([{ says: "sort it", in: "general", mentions: "us" }], stage);
	const { tenant } = stage.room("general");
	const asRead = async () => stage.room("general");
	stage.platform.readable = async () => undefined;
	const home = { ...stage.room("dm", "bob"), tenant };
	const event = {
		type: "home",
		tab: "page",
		room: home,
		person: stage.person("bob"),
		at: stage.clock.now(),
	} as const;
	await stage.arrive(event, "home:hidden");
	expect(pages(stage).now).toContain("No work is running.");
	stage.platform.readable = asRead;
	await stage.arrive(event, "home:shown");
	expect(pages(stage).now).toContain("sort it");
	const [, id = ""] = /"id":"([^"]*)"/.exec(pages(stage).now) ?? [];
	const press = { ...event, type: "press", control: id, fields: {}, home: true } as const;
	stage.platform.readable = async () => undefined;
	await stage.arrive({ ...press, values: [], ticket: stage.nextInteraction().ticket }, "press:1");
	expect(stage.privately()).toEqual(["You can no longer see this conversation."]);
	stage.platform.readable = asRead;
	await stage.arrive({ ...press, values: [], ticket: stage.nextInteraction().ticket }, "press:2");
	expect(stage.privately()).toEqual([expect.stringContaining("Stopped")]);
});

const skill = {
	...{ name: "release", description: "", source: "data", trust: "operator" },
	...{ user_invocable: true, model_invocable: true },
};

test("the messages of a person suggest the requests of the operator and the skills", async () => {
	const stage = await openStage();
	const shown: (readonly string[])[] = [];
	stage.platform.suggest = async (_, prompts) => void shown.push(prompts);
	stage.gateway.methods.list_skills = () => ({ skills: [skill], problems: [], digest: "" }) as never;
	const by = { room: stage.room(), person: stage.person(), at: 0 };
	const event = { type: "home", tab: "messages", ...by } as const;
	await stage.arrive(event, "messages:1");
	expect(shown).toEqual([
		["Use the skill release", expect.any(String), expect.any(String), expect.any(String)],
	]);
	const welcome = { posts: true, approvers: [], prompts: ["Say hi"] };
	stage.gateway.facts.set("dms:dm-ada", { mention: "required", sessions: "shared", welcome });
	await stage.pass(3_600_000);
	await stage.arrive(event, "messages:2");
	expect(shown.at(-1)).toEqual(["Say hi", "Use the skill release"]);
	stage.gateway.roles.set("ada", "stranger");
	await stage.pass(3_600_000);
	await stage.arrive(event, "messages:3");
	expect(shown).toHaveLength(2);
});

const suggested = ["Say hi", `Read ${"many ".repeat(18)}files`];

async function openSuggesting(): Promise<Stage> {
	const stage = await openStage();
	const welcome = { posts: false, approvers: [], prompts: suggested };
	stage.gateway.facts.set("dms:dm-ada", { mention: "required", sessions: "shared", welcome });
	await openHome(stage);
	return stage;
}

async function pressHome(stage: Stage, control: string, press: string, by = "ada"): Promise<void> {
	const [room, person] = [stage.room("dm", by), stage.person(by)];
	const { ticket } = stage.nextInteraction();
	const at = stage.clock.now();
	const event = { type: "press", room, person, at, ticket, control, fields: {}, home: true } as const;
	await stage.arrive({ ...event, values: [] }, press);
	await stage.pass(1000);
}

function sentTexts(stage: Stage): unknown[] {
	return stage.gateway.requests
		.filter(({ method }) => method === "send_message")
		.map(({ params }) => Object(params).content);
}

test("a press on a suggested request starts one conversation with it, also after a double press and a restart", async () => {
	const stage = await openSuggesting();
	const { id } = stage.control("Say hi");
	expect(id.length).toBeLessThanOrEqual(100);
	await Promise.all([pressHome(stage, id, "press:1"), pressHome(stage, id, "press:2")]);
	await playScene([{ repeats: true }, { passes: 3000 }, { restarts: true }, { repeats: true }], stage);
	await pressHome(stage, id, "press:3");
	expect(sentTexts(stage)).toEqual(["Say hi"]);
	expect(stage.posts(stage.room()).filter((post) => post.includes("> Say hi"))).toHaveLength(1);
	expect(stage.privately()).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("Say hi")));
});

test.each([
	["before the gateway received", false],
	["after the gateway received", true],
])("a crash after the first post, %s the request, starts one conversation", async (_, isReceived) => {
	const stage = await openSuggesting();
	const { methods } = stage.gateway;
	const { send_message: send } = methods;
	const { id } = stage.control("Say hi");
	methods.send_message = (params, call) => {
		// Until the restart, the process cannot store anything.
		stage.store.refusals = Number.POSITIVE_INFINITY;
		if (!isReceived || !send) throw new ParleyError("the connection ended", { code: "unavailable" });
		return send(params, call);
	};
	await pressHome(stage, id, "press:1");
	const posted = stage.posts(stage.room()).filter((post) => post.includes("> Say hi"));
	expect([posted.length, stage.store.refusals]).toEqual([1, Number.POSITIVE_INFINITY]);
	await stage.stop();
	Object.assign(methods, { send_message: send });
	stage.store.refusals = 0;
	await stage.start();
	await playScene([{ passes: 60_000 }, { repeats: true }, { passes: 3000 }], stage);
	await pressHome(stage, id, "press:2");
	expect(stage.posts(stage.room()).filter((post) => post.includes("> Say hi"))).toHaveLength(1);
	expect(stage.gateway.sessions.flatMap(({ runs }) => runs)).toHaveLength(1);
	expect(stage.privately()).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("Started")));
});

test("a press on the old page after the update starts no other conversation", async () => {
	const stage = await openSuggesting();
	const { id } = stage.control("Say hi");
	await pressHome(stage, id, "press:1");
	await stage.pass(20_000);
	expect(stage.control("Say hi").id).not.toBe(id);
	await pressHome(stage, id, "press:2");
	await openHome(stage);
	await pressHome(stage, id, "press:3");
	expect(sentTexts(stage)).toEqual(["Say hi"]);
	expect(stage.posts(stage.room()).filter((post) => post.includes("> Say hi"))).toHaveLength(1);
});

test("a page that was updated after a press starts another conversation, and a long request is sent complete", async () => {
	const stage = await openSuggesting();
	const [, long = ""] = suggested;
	const { id } = stage.control("Say hi");
	const { id: other } = stage.control(`${long.slice(0, 74)}…`);
	await pressHome(stage, id, "press:1");
	await stage.pass(20_000);
	const { id: next } = stage.control("Say hi");
	expect(next).not.toBe(id);
	await pressHome(stage, next, "press:2");
	await pressHome(stage, other, "press:3");
	expect(sentTexts(stage)).toEqual(["Say hi", "Say hi", long]);
});

test("a request that is no longer suggested, or of a person without the right, is refused without a post", async () => {
	const stage = await openSuggesting();
	const { id } = stage.control("Say hi");
	const posts = () => stage.posts(stage.room()).filter((post) => post.includes("> "));
	stage.gateway.roles.set("ada", "stranger");
	await stage.pass(3_600_000);
	await pressHome(stage, id, "press:1");
	expect(stage.privately()).toEqual([expect.stringContaining("do not have access")]);
	stage.gateway.roles.delete("ada");
	const welcome = { posts: false, approvers: [], prompts: ["Say bye"] };
	stage.gateway.facts.set("dms:dm-ada", { mention: "required", sessions: "shared", welcome });
	await stage.pass(3_600_000);
	await pressHome(stage, id, "press:2");
	expect(stage.privately()).toEqual([expect.stringContaining("no longer suggested")]);
	expect([posts(), sentTexts(stage)]).toEqual([[], []]);
});
