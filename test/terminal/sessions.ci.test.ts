import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { test } from "./terminal-test.ts";

const interrupt = "\u0003";

test("conversations are searched, shown, exported, renamed and deleted", async ({ setup }) => {
	const ask = setup.run("ask", "-y", "say: The brook\nrun: echo ```hi");
	expect(await ask.ended()).toBe(0);
	const [id = ""] = /sess_[0-9a-z]{26}/.exec(ask.text) ?? [];
	const short = id.slice(0, 15);
	const matching = setup.run("sessions", "BROOK", "say");
	expect(await matching.ended()).toBe(0);
	expect(matching.text).toMatch(
		/^ID +STATE +MSGS +UPDATED +TITLE +DIRECTORY\nsess_\S+ +idle +2 +just now +say: The/,
	);
	const none = setup.run("sessions", "brook", "absent");
	expect(await none.ended()).toBe(0);
	expect(none.text).toBe("No session contains all these words.");

	const shown = setup.run("sessions", "show", short);
	expect(await shown.ended()).toBe(0);
	expect(shown.text).toMatch(/^say: The brook\nid +sess_/);
	expect(shown.text).toContain("▸ run_command cmd: echo ```hi");

	const exported = setup.run("sessions", "export", short, "--output", "talk.md");
	expect(await exported.ended()).toBe(0);
	const file = join(setup.work, "talk.md");
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(readFileSync(file, "utf8")).toMatch(/^# say: The brook\n.*\n````json\n.*```hi.*\n````\n/s);
	const secondExport = setup.run("sessions", "export", short, "--output", "talk.md", "--format", "json");
	expect(await secondExport.ended()).toBe(1);
	expect(secondExport.text).toContain("talk.md already exists");
	const forced = setup.run("sessions", "export", short, "--output", "talk.md", "--format", "json", "--force");
	expect(await forced.ended()).toBe(0);
	expect(parseJson(readFileSync(file, "utf8"))).toMatchObject({ session: { id }, events: { 0: { seq: 1 } } });

	const commands = setup.run("sessions", "commands", short);
	expect(await commands.ended()).toBe(0);
	expect(commands.text).toBe("No commands in the background.");
	const missing = setup.run("sessions", "stop-command", short, "1");
	expect(await missing.ended()).toBe(1);
	expect(missing.text).toContain("this session has no command 1 in the background");

	const compacted = setup.run("sessions", "compact", short);
	expect(await compacted.ended()).toBe(0);
	expect(compacted.text).toContain("the model now works from a summary");

	const forked = setup.run("sessions", "fork", short, "--at", "1");
	expect(await forked.ended()).toBe(0);
	const [, fork = ""] =
		/^forked up to message 1: (sess_\w+) {2}say: The brook \(fork\)\n/.exec(forked.text) ?? [];
	expect(forked.text).toContain(`parley chat --session ${fork}`);
	const copy = setup.run("sessions", "show", fork);
	expect(await copy.ended()).toBe(0);
	expect(copy.text).toContain(`Fork of ${id} up to message 1`);
	expect(copy.text).toContain("▸ run_command cmd: echo ```hi");
	const tooFar = setup.run("sessions", "fork", short, "--at", "2");
	expect(await tooFar.ended()).toBe(2);
	expect(tooFar.text.replaceAll("\n", " ")).toContain("it has only message 1");

	const renamed = setup.run("sessions", "rename", short, "My", "title");
	expect(await renamed.ended()).toBe(0);
	const notDeleted = setup.run("sessions", "delete", short);
	await notDeleted.shows("My title\nDelete this session permanently, with all data? [y/N]");
	await notDeleted.enter("");
	expect(await notDeleted.ended()).toBe(1);
	const deleted = setup.run("sessions", "delete", short);
	await deleted.shows("[y/N]");
	await deleted.enter("y");
	expect(await deleted.ended()).toBe(0);
	expect(deleted.text).toContain(`deleted ${id}  My title`);
	const missingSession = setup.run("sessions", "show", short);
	expect(await missingSession.ended()).toBe(1);
	expect(missingSession.text).toContain("no session has an id that begins with");
});

test("an ambiguous abbreviation is refused, and an active session is not deleted", async ({ setup }) => {
	const ask = setup.run("ask", "run: sleep 60");
	await ask.shows("y yes · n no");
	const other = setup.run("ask", "say: other");
	expect(await other.ended()).toBe(0);
	const unclear = setup.run("sessions", "show", "sess_");
	expect(await unclear.ended()).toBe(2);
	expect(unclear.text.replaceAll("\n", "")).toContain('"sess_" is too short for an id');
	const [id = ""] = /sess_[0-9a-z]{26}/.exec(ask.text) ?? [];
	const busy = setup.run("sessions", "delete", "-y", id);
	expect(await busy.ended()).toBe(1);
	expect(busy.text).toContain("session busy");
	const forced = setup.run("sessions", "delete", "-y", "--force", id);
	expect(await forced.ended()).toBe(0);
	await ask.shows("cancelled");
});

test("events are followed over a restart of the gateway, until Ctrl-C", async ({ setup }) => {
	const follow = setup.run(
		"events",
		"--follow",
		"--type",
		"user.message",
		"--type",
		"session.renamed",
		"--json",
	);
	await setup.run("ask", "say: before").ended();
	await follow.shows('"title":"say: before"');
	await setup.killGateway();
	await follow.shows("connection lost, reconnecting …");
	await setup.startGateway();
	await setup.run("ask", "say: behind").ended();
	await follow.shows('"title":"say: behind"');
	follow.type(interrupt);
	expect(await follow.ended()).toBe(130);
	const contents = [...follow.text.replaceAll("\n", "").matchAll(/"content":"say: (before|behind)"/g)];
	expect(contents.map(([, word]) => word)).toEqual(["before", "behind"]);
	const rows = setup.run("events", "--limit", "1", "--type", "session.renamed");
	expect(await rows.ended()).toBe(0);
	expect(rows.text).toMatch(/^\d\d:\d\d:\d\d {2}sess_\w{6} {2}session.renamed +say: behind \(by a model\)$/);
});
