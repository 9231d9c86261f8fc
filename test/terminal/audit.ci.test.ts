import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { migrations, type Tables } from "@parley/core";
import { expect } from "vitest";
import { pipe } from "./piped.ts";
import type { Setup } from "./setup.ts";
import { test } from "./terminal-test.ts";

async function outputOf(setup: Setup, ...args: readonly string[]): Promise<{ code: number; text: string }> {
	const { out, error, code } = await pipe(setup, args);
	return { code, text: out + error };
}

test("the audit is shown, checked with and without a gateway, and a change of a row is found", async ({
	setup,
}) => {
	expect((await outputOf(setup, "ask", "-y", "write: a.txt <<< one")).code).toBe(0);
	const shown = await outputOf(setup, "audit", "--since", "1h");
	expect(shown.text).toMatch(/TIME +PRINCIPAL/);
	expect(shown.text).toMatch(/gateway +gateway +gateway\.start +started/);
	expect(shown.text).toMatch(/operator +ozzie +accept_all\.give +allowed/);
	expect(shown.text).toMatch(/operator +gateway +tool\.finish +completed/);
	const newest = JSON.parse((await outputOf(setup, "audit", "--json", "--limit", "1")).text);
	expect(newest).toMatchObject([{ via: "gateway", action: "tool.finish" }]);
	expect((await outputOf(setup, "audit", "--principal", "nobody")).text).toContain("no matching rows");
	expect((await outputOf(setup, "audit", "--since", "someday")).code).toBe(2);
	const checked = await outputOf(setup, "audit", "--verify");
	expect(checked.code).toBe(0);
	const [, anchor = ""] = /anchor: (\d+:[0-9a-f]{64})/.exec(checked.text.replaceAll("\n", "")) ?? [];
	await setup.killGateway();
	expect(await outputOf(setup, "audit", "--verify", "--anchor", anchor)).toMatchObject({ code: 0 });
	const cut = await outputOf(setup, "audit", "--verify", "--anchor", `9${anchor}`);
	expect(cut).toMatchObject({ code: 1, text: expect.stringContaining("missing") });
	await damage(join(setup.data, "parley.sqlite"), (tx) =>
		tx.updateTable("audit").set({ decision: "refused" }).where("seq", "=", 2).execute(),
	);
	const broken = await outputOf(setup, "audit", "--verify");
	expect(broken).toMatchObject({
		code: 1,
		text: expect.stringMatching(/not intact.*\nrow 2: the row was changed/),
	});
});

async function damage(file: string, change: Parameters<Store<Tables>["commit"]>[0]): Promise<void> {
	const store = await openSqliteStore<Tables>({ file, migrations });
	await store.commit(change);
	await store.close();
}

test("audit --verify and doctor --deep report message text that another program changed", async ({
	setup,
}) => {
	await setup.replaceData();
	expect((await outputOf(setup, "ask", "good morning")).code).toBe(0);
	const intact = /the messages are intact: \d+ rows of 1 session/;
	expect(await outputOf(setup, "audit", "--verify")).toMatchObject({
		code: 0,
		text: expect.stringMatching(intact),
	});
	expect((await outputOf(setup, "doctor", "--deep")).text).toMatch(/^ok +messages +intact: \d+ rows/m);
	await setup.killGateway();
	expect(await outputOf(setup, "audit", "--verify")).toMatchObject({
		code: 0,
		text: expect.stringMatching(intact),
	});

	const file = join(setup.data, "parley.sqlite");
	await damage(file, (tx) => tx.updateTable("runs").set({ content: "good evening" }).execute());
	const problem =
		/the messages are not intact: 1 row .*\n.*message of run_\w+: its content does not match its hash/;
	const verified = await outputOf(setup, "audit", "--verify");
	expect(verified).toMatchObject({ code: 1, text: expect.stringMatching(problem) });
	expect(verified.text).toContain("the audit log is intact");
	const deep = await outputOf(setup, "doctor", "--deep");
	expect(deep).toMatchObject({
		code: 1,
		text: expect.stringMatching(/^FAIL +messages +the messages are not/m),
	});
	expect((await outputOf(setup, "doctor")).text).not.toContain("messages are");
	const json = JSON.parse((await outputOf(setup, "audit", "--verify", "--json")).text);
	expect(json).toMatchObject({
		ok: true,
		messages: { ok: false, faults: 1, examples: [{ row: expect.stringMatching(/^message of/) }] },
	});
});

test("doctor reports faults with advice, with and without a gateway", async ({ setup }) => {
	await setup.replaceData();
	const well = await outputOf(setup, "doctor");
	expect(well.code).toBe(0);
	expect(well.text).toMatch(/^ok +gateway +running as process \d+/m);
	expect(well.text).toMatch(/^warn +sandbox +the gateway runs without a sandbox/m);
	expect(well.text).toMatch(/0 failures, 1 warning/);
	await setup.killGateway();
	await chmod(join(setup.data, "tokens", "operator"), 0o644);
	const ill = await outputOf(setup, "doctor");
	expect(ill.code).toBe(1);
	expect(ill.text).toMatch(/FAIL +tokens/);
	expect(ill.text.replaceAll("\n", "")).toContain("chmod 600");
	const checks = JSON.parse((await outputOf(setup, "doctor", "--json")).text);
	expect(checks).toContainEqual({ id: "database", status: "ok", what: expect.any(String) });
	expect(checks).toContainEqual(
		expect.objectContaining({ id: "tokens", status: "fail", fix: expect.stringContaining("chmod") }),
	);
	await chmod(join(setup.data, "tokens", "operator"), 0o600);
});
