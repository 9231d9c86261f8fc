import { mkdir, symlink, writeFile } from "node:fs/promises";
import { ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { askDaemon, KontekstStream } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"kontekst",
	["kontekst.failed-start", "kontekst.agents", "kontekst.one-run"],
	"an invalid start is refused with the reason, a valid one may follow, and a third one is refused",
	async () => {
		await using gateway = await TestGateway.start({
			data: { "agents/gardener/agent.md": "Be a gardener.\n" },
		});
		await using stream = new KontekstStream(gateway.url);
		const failed = async (start: object): Promise<unknown> => {
			stream.start({ ...start });
			const { runId, error } = await stream.until("failed");
			expect(runId).toBe("");
			return error;
		};
		expect(await failed({ prompt: "hi", agentName: "cook" })).toBe(
			"agent not found: cook; available: default, gardener",
		);
		expect(await failed({ prompt: "hi", skill: { name: "bake" } })).toMatch(/^skill not found: bake/);
		expect(await failed({ prompt: " " })).toMatch(/^prompt: it is empty/);
		expect(await failed({ prompt: "hi", workingDir: "nowhere" })).toMatch(
			/^working_dir: "nowhere" does not exist/,
		);
		expect(await failed({ prompt: "hi", sessionId: "../x" })).toMatch(
			/^session_id: .*"\.\.\/x" is not a session id/,
		);
		stream.start({ prompt: "hi", agentName: "gardener" });
		expect(await stream.until("started")).toMatchObject({ agentName: "gardener" });
		await stream.until("completed");
		expect(await failed({ prompt: "again" })).toBe("run already started");
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
	},
);

verifiesOn(
	"kontekst",
	["kontekst.agents"],
	"each run has the agent in its start, also in a session of another agent",
	async () => {
		await using gateway = await TestGateway.start({
			data: { "agents/gardener/agent.md": "Be a gardener.\n" },
		});
		const named = async (start: object): Promise<Readonly<Record<string, unknown>>> => {
			await using stream = new KontekstStream(gateway.url);
			stream.start({ prompt: "hi", ...start });
			const started = await stream.until("started");
			await stream.until("completed");
			return started;
		};
		const { sessionId } = await named({ agentName: "default" });
		await using reader = await OzzieClient.connect(gateway.url);
		for (const [agentName, expected] of [
			["gardener", "gardener"],
			["", "default"],
			["default", "default"],
		] as const) {
			const { runId, agentName: received } = await named({ sessionId, agentName });
			expect(received).toBe(expected);
			const explained = await reader.call("explain", { session_id: sessionId, run_id: runId });
			expect(explained).toMatchObject({ profile: expected });
		}
	},
);

verifiesOn(
	"kontekst",
	["kontekst.project-notes"],
	"the AGENTS.md of the working directory and of its parents in the roots reach the model once in each run",
	async () => {
		const model = new ScriptedModel([says("one")], [says("two")]);
		await using gateway = await TestGateway.start({ model });
		const workingDir = gateway.path("work", "garden");
		await mkdir(workingDir);
		await writeFile(gateway.path("AGENTS.md"), "Outside the roots.");
		await writeFile(gateway.path("work", "AGENTS.md"), "Never water at noon.");
		await writeFile(`${workingDir}/AGENTS.md`, "Water before nine.");
		let sessionId = "";
		for (const prompt of ["first", "second"]) {
			await using stream = new KontekstStream(gateway.url);
			stream.start({ prompt, sessionId, workingDir });
			sessionId = String((await stream.started())["sessionId"]);
			await stream.until("completed");
			const request = JSON.stringify(model.requests.at(-1));
			expect(request.split("Water before nine.")).toHaveLength(2);
			expect(request.split("Never water at noon.")).toHaveLength(2);
			expect(request).not.toContain("Outside the roots.");
		}
		expect(model.requests).toHaveLength(2);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.roots"],
	"a working directory outside the roots is refused with the roots, and the stream may start again",
	async () => {
		await using gateway = await TestGateway.start();
		await using stream = new KontekstStream(gateway.url);
		const work = gateway.path("work");
		await symlink(gateway.path("other"), `${work}/link`);
		for (const workingDir of [gateway.path("other"), `${work}/../other`, `${work}/link`]) {
			stream.start({ prompt: "hi", workingDir });
			const { runId, error } = await stream.until("failed");
			expect(runId).toBe("");
			expect(error).toMatch(
				/^working_dir: "\/.*" is outside the roots \/.*\/work: use a directory in one of them$/,
			);
		}
		stream.start({ prompt: "hi", workingDir: work });
		await stream.until("completed");
	},
);

verifiesOn(
	"kontekst",
	["kontekst.skills"],
	"a skill is invoked with arguments, and an unknown skill leaves no session",
	async () => {
		const skill = "---\nname: greet\ndescription: Greets\n---\nsay: Good $0, $1!\n";
		const hidden = skill.replace("name: greet", "name: hidden\nuser_invocable: false");
		await using gateway = await TestGateway.start({
			data: { "skills/greet.md": skill, "skills/hidden.md": hidden },
		});
		await using stream = new KontekstStream(gateway.url);
		for (const name of ["bake", "hidden"]) {
			stream.start({ skill: { name, arguments: "" } });
			await stream.until("failed");
		}
		stream.start({ skill: { name: "greet", arguments: 'morning "dear gardener"' } });
		expect(await stream.until("completed")).toMatchObject({
			content: expect.stringContaining("Good morning, dear gardener!"),
		});
		await using reader = await OzzieClient.connect(gateway.url);
		// The cast is safe because the gateway's response has this type.
		const { sessions } = (await reader.call("list_sessions", {})) as { sessions: unknown[] };
		expect(sessions).toHaveLength(1);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.workflow"],
	"the call of a step waits for the decision of the stream, and the run completes with the result of the skill",
	async () => {
		const skill =
			'---\nname: dig\ndescription: Digs\nsteps:\n  - id: dig\n    title: Dig\n    prompt: "write: bed.txt <<< soil"\n---\nDig a bed.\n';
		await using gateway = await TestGateway.start({ data: { "skills/dig.md": skill } });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ skill: { name: "dig", arguments: "" } });
		const [call] = await stream.proposed();
		expect(call).toMatchObject({ name: "write_file", argumentsJson: expect.stringContaining("bed.txt") });
		stream.approve(call?.callId ?? "");
		await stream.until("toolsCompleted");
		expect(await stream.until("completed")).toMatchObject({ content: expect.stringContaining("bed.txt") });
	},
);

verifiesOn(
	"kontekst",
	["kontekst.unknown-session"],
	"a session is created with the id of the client, and continued by it",
	async () => {
		await using gateway = await TestGateway.start();
		const sessionId = "sess_20261121T202026.179664167_c7b5f496054a";
		for (const prompt of ["one", "two"]) {
			await using stream = new KontekstStream(gateway.url);
			stream.start({ prompt, sessionId });
			expect(await stream.until("started")).toMatchObject({ sessionId });
			await stream.until("completed");
		}
		await using reader = await OzzieClient.connect(gateway.url);
		const opened = await reader.open({ session_id: sessionId, after_seq: 0 });
		expect(opened).toBe(sessionId);
		const messages = await reader.request("load_messages", { limit: 10 });
		expect(JSON.stringify(messages)).toMatch(/one.*two/s);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.status", "kontekst.shutdown"],
	"the daemon reports its status, and stops on request",
	async () => {
		const prompt = Promise.withResolvers<void>();
		await using gateway = await TestGateway.start({ onShutdown: prompt.resolve });
		const { host } = new URL(gateway.url);
		const status = await askDaemon(gateway.url, "getStatus");
		expect(status).toMatchObject({
			...{ bind: host, dataDir: gateway.path("data"), endpoint: "", modelDir: "" },
			...{ llamaServerHealthy: false, llamaServerRunning: false, llamaServerPid: 0 },
			startedAtRfc3339: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
		});
		expect(status["uptimeSeconds"]).toBeGreaterThanOrEqual(0);
		expect(await askDaemon(gateway.url, "shutdown")).toEqual({ message: "shutting down" });
		await prompt.promise;
	},
);
