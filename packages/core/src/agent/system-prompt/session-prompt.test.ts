import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { createOfflineModel } from "../../models/offline/offline-model.ts";
import { openProfiles } from "../../policy/profiles/open-profiles.ts";
import { EventLog } from "../../testing/event-log.ts";
import { noSandboxes } from "../../testing/no-sandboxes.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { operator } from "../../vocabulary/principal.ts";

test("a session keeps the prompt of its first run, and a new session gets the agent's new instructions", async () => {
	const agents = await mkdtemp(join(tmpdir(), "agents-"));
	onTestFinished(() => rm(agents, { recursive: true }));
	const instruct = (text: string): Promise<void> => writeFile(join(agents, "poet", "agent.md"), text);
	await mkdir(join(agents, "poet"));
	await instruct("You write {{cwd}} sonnets.\n");
	const offline = createOfflineModel({ clock: new ManualClock() });
	const prompts: string[] = [];
	const model = {
		...offline,
		stream(request: ModelRequest, signal: AbortSignal) {
			prompts.push(request.system);
			return offline.stream(request, signal);
		},
	};
	await using t = await TestRuntime.open({ model, profiles: openProfiles(agents) });
	const answer = async (session: string): Promise<void> => {
		const log = await EventLog.join(t.runtime, session, {});
		await t.send(session, "say: hello");
		await log.next("assistant.message");
	};
	const { id: first } = await t.runtime.create(unkeyed(operator), { profile: "poet" });
	await answer(first);
	await instruct("You write limericks.\n");
	await answer(first);
	const { id: second } = await t.runtime.create(unkeyed(operator), { profile: "poet" });
	await answer(second);
	const [before, after, other] = prompts;
	expect(before).toMatch(/^You write \{\{cwd\}\} sonnets\.\n\n\n# Approvals\n/);
	expect(after).toBe(before);
	expect(other).toMatch(/^You write limericks\.\n/);
});

test("the first request to the model does not wait for the check of the sandbox", async () => {
	const pending = new Promise<never>(() => undefined);
	const sandbox = { ...noSandboxes(new ManualClock()), of: () => pending, check: () => pending };
	const model = createOfflineModel({ clock: new ManualClock() });
	await using t = await TestRuntime.open({ sandbox, model, systemTemplate: "built-in" });
	const { id } = await t.runtime.create(unkeyed(operator), {});
	const log = await EventLog.join(t.runtime, id, {});
	await t.send(id, "say: hello");
	expect(await log.next("assistant.message")).toMatchObject({ content: "[offline] hello" });
});
