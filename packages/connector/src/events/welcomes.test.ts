import { expect, test } from "vitest";
import { playScene } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

const welcome = { posts: true, approvers: ["chat:guild:olga"], prompts: ["Say hi"] };
const hello = "Hello!";

async function openStage(isPrivate = false): Promise<Stage> {
	const stage = await Stage.open();
	for (const place of ["guild:general", "guild:other", "dms:dm-ada"]) {
		stage.gateway.facts.set(place, { mention: "required", sessions: "shared", welcome });
	}
	stage.gateway.methods.list_skills = () => ({ skills: [], problems: [], digest: "" });
	if (isPrivate) {
		stage.platform.ticketOf = ({ message }) => {
			return { id: `of ${message}`, token: "t", expiresAt: stage.clock.now() + 900_000 };
		};
	}
	return stage;
}

const mention = { says: "hello", in: "general", mentions: "us" } as const;

test("a person is welcomed in direct messages once, with the tasks, the approvers and the prompts", async () => {
	const stage = await playScene([{ says: "hello" }, { says: "again" }], await openStage());
	expect(stage.posts(stage.room()).filter((post) => post.includes(hello))).toEqual([
		"Hello! Write to me here. I answer questions, work with files and tools, and run tasks in the background. `/help` lists my commands.\nWhen a change requires approval, I ask first. @olga or the operator can approve it.\nTry: “Say hi”",
	]);
	await playScene(
		[{ restarts: true }, { says: "third" }, { losesDatabase: true }, { says: "fourth" }],
		stage,
	);
	expect(stage.posts(stage.room()).filter((post) => post.includes(hello))).toHaveLength(1);
});

test("a channel is welcomed once, and not if the gateway already has a conversation there", async () => {
	const stage = await playScene([mention, { ...mention, by: "bea" }, { repeats: true }], await openStage());
	const welcomed = (): number =>
		stage.posts(stage.room("general")).filter((post) => post.includes("Mention me")).length;
	expect(welcomed()).toBe(1);
	await playScene([{ losesDatabase: true }, mention], stage);
	expect(welcomed()).toBe(1);
});

test("each person is welcomed separately if posts can be private", async () => {
	const stage = await playScene([mention, mention], await openStage(true));
	expect(stage.privately().map((text) => text.slice(0, 17))).toEqual(["Hello! Mention me"]);
	await playScene([{ ...mention, by: "bea" }, { restarts: true }, mention], stage);
	expect(stage.privately()).toHaveLength(1);
	expect(stage.posts(stage.room("general")).filter((post) => post.includes(hello))).toEqual([]);
});

test("a person whose messages were handled before gets no welcome", async () => {
	const stage = await openStage(true);
	stage.gateway.facts.clear();
	await playScene([mention], stage);
	stage.gateway.facts.set("guild:general", { mention: "required", sessions: "shared", welcome });
	await playScene([{ passes: 60_000 }, mention], stage);
	expect(stage.privately()).toEqual([]);
});

test("an invitation to a channel posts the welcome once, before any message", async () => {
	const stage = await openStage();
	const event = {
		type: "invited" as const,
		room: stage.room("general"),
		person: stage.person("olga"),
		at: stage.clock.now(),
	};
	await stage.arrive(event, "invited:1");
	await stage.arrive(event, "invited:2");
	await playScene([mention], stage);
	expect(stage.posts(stage.room("general")).filter((post) => post.includes(hello))).toHaveLength(1);
});

test("a person without access gets no welcome, but one private notice a day", async () => {
	const stage = await openStage(true);
	stage.gateway.roles.set("ada", "stranger");
	await playScene([mention, mention], stage);
	expect(stage.privately()).toEqual([expect.stringContaining("You do not have access yet")]);
	await playScene([{ passes: 86_400_000 }, mention], stage);
	expect(stage.privately()).toEqual([expect.stringContaining("You do not have access yet")]);
	stage.gateway.roles.set("ada", "member");
	await playScene([{ passes: 60_000 }, mention], stage);
	expect(stage.privately()).toEqual([expect.stringContaining(hello)]);
});

test("the usual prompts include skills that the agent may start", async () => {
	const stage = await openStage();
	stage.gateway.facts.set("dms:dm-ada", {
		...{ mention: "required", sessions: "shared" },
		welcome: { posts: true, approvers: [], prompts: [] },
	});
	const skill = {
		...{ description: "", path: "", hash: "", user_invocable: true, model_invocable: true },
		source: "data" as const,
		type: "simple" as const,
		trust: "operator" as const,
	};
	stage.gateway.methods.list_skills = () => ({
		skills: [
			{ ...skill, name: "hidden", model_invocable: false },
			{ ...skill, name: "review" },
		],
		problems: [],
		digest: "",
	});
	await playScene([{ says: "hello" }], stage);
	expect(stage.posts(stage.room())[0]).toContain(
		"I ask first. An approver or the operator can approve it.\nTry: “Use the skill review” · “Summarise the last messages here” · “List the files that you can read”",
	);
});
