import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { test } from "./terminal-test.ts";

test("the operator sees open prompts, and answers them by a short code", async ({ setup }) => {
	await setup.replaceData();
	const none = setup.run("answer");
	expect(await none.ended()).toBe(0);
	expect(none.text).toBe("no open questions");
	const task = setup.run("task", "submit", "Tidy up", "ask: Which colour?\nsay: done", "--autonomous");
	expect(await task.ended()).toBe(0);
	const ask = setup.run("ask", "secret: API key");
	await ask.shows("password (hidden) ›");
	const json = setup.run("answer", "--json");
	expect(await json.ended()).toBe(0);
	const listed = parseJson(json.text.replaceAll("\n", ""));
	if (!Array.isArray(listed)) throw new Error("no list");
	const secret = listed.find(({ type }) => type === "password");
	const code = String(secret.token).slice(-6);
	const shown = setup.run("answer");
	expect(await shown.ended()).toBe(0);
	expect(shown.text).toMatch(/^ID +SESSION.*QUESTION\n/);
	expect(shown.text).toContain(code);
	const plain = setup.run("answer", code, "--value", "hunter2");
	expect(await plain.ended()).toBe(2);
	expect(plain.text).toContain("--value is not allowed for a password");
	const typed = setup.run("answer", code);
	await typed.shows("password (hidden) ›");
	typed.type("correct horse\r");
	expect(await typed.ended()).toBe(0);
	expect(typed.text).toContain("answered: (hidden)");
	expect(typed.received).not.toContain("horse");
	expect(await ask.ended()).toBe(0);
	expect(ask.text).toContain("secret:pw_");
	const late = setup.run("answer", code, "--deny");
	expect(await late.ended()).toBe(2);
	expect(late.text).toContain(`no open question has the id ${code}`);
});

test("an always-required approval needs a second confirmation, and Ctrl-C does not answer", async ({
	setup,
}) => {
	await setup.replaceData();
	const ask = setup.run("ask", "run: git push --force");
	await ask.shows("y yes · n no");
	const listed = setup.run("answer");
	await listed.ended();
	const [, code = ""] = /^(\w{6}) .*! Allow run git push/m.exec(listed.text) ?? [];
	expect(code).not.toBe("");
	const interrupted = setup.run("answer", code);
	await interrupted.shows("y yes · n no");
	interrupted.type("\u0003");
	expect(await interrupted.ended()).toBe(130);
	const unsure = setup.run("answer", code);
	await unsure.shows("risk: critical");
	await unsure.enter("y");
	await unsure.shows("Type yes to approve it");
	await unsure.enter("y");
	expect(await unsure.ended()).toBe(1);
	expect(unsure.text).toContain("The question is still open.");
	const confirmed = setup.run("answer", code);
	await confirmed.shows("y yes · n no");
	await confirmed.enter("y");
	await confirmed.shows("Type yes to approve it");
	await confirmed.enter("yes");
	expect(await confirmed.ended()).toBe(0);
	expect(confirmed.text).toContain("answered: yes");
	expect(await ask.ended()).toBe(0);
});
