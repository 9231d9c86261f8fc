import { chmod, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { calls, gated, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { WorkflowScript } from "../testing/workflow-script.ts";
import { editCall, UndoSetup, write } from "./testing/undo-setup.ts";

test("an undo restores content and mode, and deletes created files; the next one goes one turn further back", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "one.txt", "one\n"), editCall("b", "run.sh", "old", "new")],
		[says("done")],
		[editCall("c", "run.sh", "new", "newer"), write("d", "sub/two.txt", "two")],
		[says("done again")],
		[says("seen")],
	);
	await setup.put("run.sh", "old\n", 0o755);
	await setup.turn("first");
	await setup.turn("second");
	const changes = await setup.changes();
	expect(changes).toMatchObject({ message: "second", ranCommands: false });
	expect(changes?.files).toEqual([
		{
			path: "run.sh",
			state: "restorable",
			reason: "",
			isNew: false,
			diff: "--- run.sh\n+++ run.sh\n@@ -1,1 +1,1 @@\n-new\n+newer\n",
		},
		{
			path: "sub/two.txt",
			state: "restorable",
			reason: "",
			isNew: true,
			diff: "--- /dev/null\n+++ sub/two.txt\n@@ -0,0 +1,1 @@\n+two\n\\ No newline at end of file\n",
		},
	]);
	await chmod(setup.path("run.sh"), 0o600);
	const { prompt, result } = await setup.undo();
	expect(prompt?.label).toBe("Allow undo the changes of 2 files?");
	expect(prompt?.approval?.preview).toContain("-newer\n+new\n");
	expect(prompt?.approval?.preview).toContain("--- sub/two.txt\n+++ /dev/null\n");
	expect(result).toBe("The file changes of the turn are undone:\n- restored run.sh\n- deleted sub/two.txt");
	expect(await setup.read("run.sh")).toBe("new\n");
	expect((await stat(setup.path("run.sh"))).mode & 0o777).toBe(0o755);
	expect(await setup.read("sub/two.txt")).toBeUndefined();
	expect((await setup.changes())?.message).toBe("first");
	await setup.undo();
	expect(await setup.read("run.sh")).toBe("old\n");
	expect(await setup.read("one.txt")).toBeUndefined();
	expect(await setup.changes()).toBeUndefined();
	await expect(setup.startUndo()).rejects.toThrow("no file changes to undo");
	expect(setup.model.requests).toHaveLength(4);
	await setup.turn("What changed?");
	const seen = JSON.stringify(setup.model.requests.at(-1)?.messages);
	for (const part of ['"/undo"', "undo_changes", "restored run.sh"]) expect(seen).toContain(part);
	expect(setup.model.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain("undo_changes");
});

test("a file with later changes is refused by name, and only requested files are restored", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "mine.txt", "agent"), write("b", "other.txt", "agent"), write("c", "gone.txt", "agent")],
		[says("done")],
	);
	await setup.put("mine.txt", "before");
	await setup.turn();
	await setup.put("mine.txt", "by hand");
	await rm(setup.path("gone.txt"));
	const { prompt, result } = await setup.undo();
	expect(prompt).toBeUndefined();
	expect(result).toContain("- mine.txt: changed since the turn");
	expect(result).not.toContain("gone.txt");
	expect(await setup.read("other.txt")).toBe("agent");
	const partly = await setup.undo(true);
	expect(partly.result).toContain("left mine.txt: changed since the turn");
	expect(await setup.read("mine.txt")).toBe("by hand");
	expect(await setup.read("other.txt")).toBeUndefined();
	await expect(setup.startUndo()).rejects.toThrow("no file changes to undo");
});

test("a file that changes between the approval and the undo is not overwritten", async () => {
	await using setup = await UndoSetup.start([write("a", "a.txt", "agent")], [says("done")]);
	await setup.put("a.txt", "before");
	await setup.turn();
	await setup.startUndo();
	const { prompt } = await setup.log.next("prompt.requested");
	await setup.put("a.txt", "by hand");
	await setup.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	expect((await setup.log.next("tool.failed")).error).toContain("a.txt: changed since the turn");
	expect(await setup.read("a.txt")).toBe("by hand");
});

test("an undo never follows a symbolic link", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "agent"), write("b", "sub/b.txt", "agent")],
		[says("done")],
	);
	await setup.put("a.txt", "before");
	await setup.turn();
	await setup.put("victim/b.txt", "agent");
	await setup.put("target.txt", "agent");
	await rm(setup.path("a.txt"));
	await symlink("target.txt", setup.path("a.txt"));
	await rename(setup.path("sub"), setup.path("old"));
	await symlink("victim", setup.path("sub"));
	const { result } = await setup.undo(true);
	expect(result).toMatch(/a\.txt: its path now leads to another file/);
	expect(result).toMatch(/sub\/b\.txt: its path now leads to another file/);
	expect(await setup.read("target.txt")).toBe("agent");
	expect(await setup.read("victim/b.txt")).toBe("agent");
});

test("binary content is restored exactly, and too large content is refused by name", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "image.bin", "text"), write("b", "large.txt", "small")],
		[says("done")],
	);
	const binary = Buffer.from([0, 1, 255, 254, 13, 10, 0]);
	await setup.put("image.bin", binary);
	await setup.put("large.txt", "x".repeat(256 * 1024 + 1));
	await setup.turn();
	expect((await setup.undo()).result).toContain(
		"large.txt: its earlier content is not stored, because it has 262145 bytes",
	);
	await setup.undo(true);
	expect(await readFile(setup.path("image.bin"))).toEqual(binary);
	expect(await setup.read("large.txt")).toBe("small");
});

test("an undo works after a restart, and completes after a kill in the middle", async () => {
	let setup = await UndoSetup.start(
		[write("a", "a.txt", "agent"), write("b", "b.txt", "agent"), write("c", "c.txt", "agent")],
		[says("done")],
	);
	for (const name of ["a.txt", "c.txt"]) await setup.put(name, "before");
	await setup.turn();
	let reached = (): void => undefined;
	const isReached = new Promise<void>((resolve) => {
		reached = resolve;
	});
	let hits = 0;
	setup = await setup.restart({
		reach(name) {
			if (name !== "file-restored" || ++hits !== 2) return;
			reached();
			return new Promise(() => undefined);
		},
	});
	await setup.startUndo();
	const { prompt } = await setup.log.next("prompt.requested");
	await setup.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await isReached;
	expect([await setup.read("a.txt"), await setup.read("b.txt"), await setup.read("c.txt")]).toEqual([
		"before",
		undefined,
		"agent",
	]);
	const { model, session } = setup;
	const { directory, clock } = setup.t;
	// Simulates a crash: the store closes before the call has an end.
	await setup.t.store.close();
	await using t = await TestRuntime.open({ model, directory, clock });
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	let end = await log.next("tool.completed");
	while (end.name !== "undo_changes") end = await log.next("tool.completed");
	expect(end.result).toContain("- deleted b.txt");
	expect(await setup.read("c.txt")).toBe("before");
	await expect(t.runtime.operator.undo(unkeyed(), session, false)).rejects.toThrow("no file changes to undo");
});

test("an undo is refused while a run works, and only the operator may undo and read changes", async () => {
	const { promise: gate, resolve: open } = Promise.withResolvers<void>();
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "agent")],
		[says("done")],
		gated(gate, "late"),
	);
	await setup.turn();
	await setup.t.send(setup.session, "wait");
	await expect(setup.startUndo()).rejects.toMatchObject({ code: "failed_precondition" });
	open();
	await setup.log.next("assistant.message");
	const observer = { id: "watcher", kind: "observer", sessions: [setup.session] } as const;
	const { operator } = setup.t.runtime;
	// An observer may neither undo nor list changes, and gets the same error as for an unknown session.
	await expect(operator.undo(unkeyed(observer), setup.session, false)).rejects.toMatchObject({
		code: "not_found",
	});
	await expect(operator.changes(observer, setup.session)).rejects.toMatchObject({ code: "not_found" });
	const agent = { ...unkeyed().principal, through: "agent" } as const;
	await expect(operator.undo(unkeyed(agent), setup.session, false)).rejects.toMatchObject({
		code: "permission_denied",
	});
	await expect(operator.changes(agent, setup.session)).rejects.toMatchObject({ code: "permission_denied" });
	expect(await setup.read("a.txt")).toBe("agent");
});

test("the records of changes are deleted with their session", async () => {
	await using setup = await UndoSetup.start([write("a", "a.txt", "agent")], [says("done")]);
	await setup.put("a.txt", "before");
	await setup.turn();
	const count = async (): Promise<number> =>
		(await setup.t.store.read((db) => db.selectFrom("file_changes").select("n").execute())).length;
	expect(await count()).toBe(1);
	await setup.t.runtime.remove(unkeyed(), setup.session, false);
	expect(await count()).toBe(0);
});

test("changes of a sub-agent belong to the turn that started it", async () => {
	const work = [{ title: "A", instructions: "do A" }];
	await using setup = await UndoSetup.with(
		new WorkflowScript({
			hello: [[write("a", "mine.txt", "agent")], [calls("b", "delegate", { work })], [says("done")]],
			A: [[write("c", "theirs.txt", "sub-agent"), write("d", "mine.txt", "both")], [says("a done")]],
		}),
	);
	await setup.t.runtime.start();
	await setup.put("theirs.txt", "before");
	await setup.turn("hello");
	expect((await setup.changes())?.files.map(({ path }) => path)).toEqual(["mine.txt", "theirs.txt"]);
	await setup.undo();
	expect(await setup.read("theirs.txt")).toBe("before");
	expect(await setup.read("mine.txt")).toBeUndefined();
});

test("a change between two writes of a turn is undone with a note, and earlier permissions of a policy apply", async () => {
	await using setup = await UndoSetup.start(
		[write("a", "a.txt", "one")],
		[write("b", "a.txt", "two")],
		[says("done")],
	);
	await setup.put("a.txt", "before");
	await setup.t.runtime.send(unkeyed(), setup.session, { content: "go" });
	await setup.approveNext();
	await setup.log.next("tool.completed");
	await setup.put("a.txt", "by hand");
	await setup.untilEnd();
	const { prompt } = await setup.undo();
	expect(prompt?.approval?.notes?.join()).toContain(
		"a.txt was also changed by something else during the turn",
	);
	expect(await setup.read("a.txt")).toBe("before");
});

test("a write during which the gateway was killed can be undone, whether the file was written or not", async () => {
	const setup = await UndoSetup.start(
		[write("a", "a.txt", "one")],
		[write("b", "b.txt", "two")],
		[says("done")],
	);
	await setup.put("a.txt", "before");
	const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
	let hits = 0;
	const killed = await setup.restart({
		reach(name) {
			if (name !== "file-written" || ++hits !== 2) return;
			reach();
			return new Promise(() => undefined);
		},
	});
	await killed.t.runtime.send(unkeyed(), killed.session, { content: "go" });
	await killed.approveNext();
	await killed.approveNext();
	await reached;
	const { model, session } = killed;
	const { directory, clock } = killed.t;
	await killed.t.store.close();
	await using t = await TestRuntime.open({ model, directory, clock });
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await log.next("assistant.message");
	const changes = await t.runtime.operator.changes(unkeyed().principal, session);
	expect(changes?.files.map(({ path, state }) => [path, state])).toEqual([
		["a.txt", "restorable"],
		["b.txt", "restorable"],
	]);
});

test("the differences of a turn are shown up to a limit, and the undo restores all files", async () => {
	const names = ["1", "2", "3", "4", "5", "6"].map((n) => `${n}.txt`);
	const large = "x\n".repeat(120 * 1024);
	await using setup = await UndoSetup.start(
		names.map((name, index) => write(`c${index}`, name, large)),
		[says("done")],
	);
	await setup.turn();
	const diffs = (await setup.changes())?.files.map(({ diff }) => diff) ?? [];
	expect(diffs.map((diff) => diff.length > 1_000)).toEqual([true, true, false, false, false, false]);
	expect(diffs.at(-1)).toBe(
		"--- 6.txt\n+++ 6.txt\n(the difference is not shown, because the differences of the turn are too long)\n",
	);
	const { prompt } = await setup.undo();
	expect(prompt?.approval?.notes).toContain("deletes 6.txt, which the turn created");
	for (const name of names) expect(await setup.read(name)).toBeUndefined();
});
