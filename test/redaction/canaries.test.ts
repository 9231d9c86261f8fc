import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { findIn, registered, shaped, textOf, wrappedIn } from "./canaries.ts";
import { RedactionSetup } from "./redaction-setup.ts";

const everything = [...registered, ...shaped];
/**
 * Secret that the model writes into a call, and all other registered secrets. `written` must remain in the call,
 * because the gateway sends the call back to the model.
 */
const [written = "", ...unwritten] = registered.toReversed();
const hidden = `${textOf(unwritten)}\n${shaped.join("\n")}\n`;
const wrapped = unwritten.map((secret, n) => wrappedIn(secret, "x".repeat(n + 30))).join("\n\n");

/** Finds secrets without encoding. After encoding, the format of a credential is not recognizable. */
function findSecrets(secrets: readonly string[], text: string): string[] {
	return secrets.filter((secret) => text.includes(secret));
}

test("the canaries are found in each of their forms, which the tests below rely on", () => {
	expect(findIn(unwritten, hidden)).toEqual(unwritten);
	expect(findSecrets(shaped, hidden)).toEqual(shaped);
	expect(findIn(unwritten, wrapped)).toEqual(unwritten);
	expect(findIn(everything, "nothing of the kind")).toEqual([]);
	expect(everything.length).toBeGreaterThanOrEqual(40);
});

test("no secret is in any file, event, response, log line or model request, by any way of entry", {
	timeout: paced(120_000),
}, async () => {
	const [first = "", second = ""] = registered;
	const files = { "secrets.txt": hidden, "wrapped.txt": wrapped, "AGENTS.md": `Notes.\n${hidden}` };
	await using setup = await RedactionSetup.open(registered, files);
	const { client, model } = setup;
	const session = await client.open({ title: `about ${first}` });
	await client.call("accept_all_tools");
	model.script(uses("t1", "read_file", { path: "secrets.txt" }), says("read"));
	await setup.ask("read it");
	model.script(
		uses("t2", "search_files", { pattern: "form" }),
		uses("t3", "read_file", { path: "wrapped.txt" }),
		says("read"),
	);
	await setup.ask("search it");
	model.script(
		uses("t4", "run_command", {
			cmd: "cat secrets.txt wrapped.txt; base64 secrets.txt; xxd -p wrapped.txt || od -c wrapped.txt >&2; cat no/such",
		}),
		says("ran"),
	);
	await setup.ask("run it");
	// The model replies in small pieces, and then the model's server returns an error.
	model.script({ ...says(`It says ${hidden}`), cut: (text) => text.match(/.{1,3}/gsu) ?? [] });
	await setup.ask("say it");
	model.script({
		status: 400,
		body: JSON.stringify({
			type: "error",
			error: { type: "invalid_request_error", message: `no: ${hidden.slice(0, 3_000)}` },
		}),
	});
	await setup.ask("fail");
	model.drainViolations();
	// These messages contain only registered secrets, because messages keep other text with the format of a
	// credential.
	model.script(
		uses("t5", "ask_user", { question: `Which of ${written}?`, type: "select", options: [written, "no"] }),
		says("asked"),
	);
	await setup.ask(`user ${textOf(registered)}`, { value: "no" });
	model.script(uses("t6", "ask_user", { question: "What?" }), says("asked"));
	await setup.ask("ask", { value: textOf(registered.slice(0, 3)) });
	model.otherwise(says("well"));
	await client.call("steer", { content: `steered ${first}` }).then(() => client.event("assistant.message"));
	await client.call("rename_session", { session_id: session, title: `named ${second}` });
	await client.call("feedback", { session_id: session, rating: "good", comment: hidden.slice(0, 1_000) });
	// The gateway must not repeat a name that is a secret.
	for (const secret of [first, shaped[0] ?? ""]) {
		const name = encodeURIComponent(secret);
		const upload = { method: "POST", body: "content" };
		// Each response shows that the gateway has read the parameter, because a missing parameter would cause a
		// different response.
		expect([
			await setup.probe("open_session", { session_id: secret }),
			await setup.probe("explain", { session_id: secret }),
			await setup.probe("read_audit", { principal: secret }),
			await setup.probe("prompt_response", { token: secret, value: true }),
			await setup.probe("no_such_method", { name: secret }),
			await setup.get(`/api/${name}`),
			await setup.get(`/api/events?session=${name}`),
			await setup.get(`/api/files?name=${name}.txt`, upload),
		]).toEqual([
			"session not found: [redacted]",
			"session not found: [redacted]",
			// Without the parameter, the gateway would list rows.
			'ok {"records":[]}',
			"prompt not found",
			"unknown method: no_such_method",
			expect.stringMatching(/^404 \{"error":"not found: \/api\/\[redacted\]; use /),
			'404 {"error":"session not found: [redacted]"}',
			expect.stringMatching(/^201 .*"name":"\[redacted\]\.txt"/),
		]);
	}
	for (const method of ["load_messages", "explain", "list_sessions", "read_audit", "usage"]) {
		expect(await setup.probe(method, method === "usage" ? { by: "day" } : {})).toMatch(/^ok /);
	}
	for (const path of ["/api/sessions", "/api/events?limit=1000", "/metrics", "/api/health?verbose"]) {
		expect(await setup.get(path)).toMatch(/^200 /);
	}
	const { requests, frames, answers, log } = setup;
	expect(requests.length).toBeGreaterThan(12);
	const stored = await setup.leftovers();
	expect(stored["table audit"]).toContain("redaction");
	const sinks = {
		...stored,
		requests: requests.join("\n"),
		frames: frames.join("\n"),
		answers: answers.join("\n"),
		log: log.join("\n"),
	};
	const leaks = Object.entries(sinks).flatMap(([sink, text]) =>
		[...findIn(registered, text), ...findSecrets(shaped, text)].map((secret) => `${secret} in ${sink}`),
	);
	const allowed = ["/parley.sqlite", "requests", "table steps"];
	expect(leaks.sort()).toEqual(allowed.map((sink) => `${written} in ${sink}`));
});

test("text that only looks like a credential stays in messages of people, and is hidden elsewhere", async () => {
	await using setup = await RedactionSetup.open([], {});
	await setup.client.open();
	const [shape = ""] = shaped.slice(6);
	setup.model.otherwise({ ...says(`You said ${shape}`), cut: (text) => [...text] });
	await setup.ask(`my key is ${shape}`);
	const { requests, log, frames } = setup;
	expect(findIn(shaped, requests.join("\n"))).toEqual([shape]);
	expect(findIn(shaped, log.join("\n"))).toEqual([]);
	expect(
		frames.filter((frame) => frame.includes(shape)).map((frame) => /"event":"([\w.]+)"/.exec(frame)?.[1]),
	).toEqual(["user.message"]);
	const stored = await setup.leftovers();
	const holder = Object.entries(stored).filter(
		([sink, text]) => sink.startsWith("table ") && text.includes(shape),
	);
	expect(holder.map(([sink]) => sink).sort()).toEqual(["table events", "table runs", "table search_texts"]);
	expect(stored["table events"]?.match(new RegExp(shape, "g"))).toHaveLength(1);
});

test("a password that is typed into a page appears nowhere else, and neither does the address of the page", async () => {
	const [, password = "", other = ""] = registered;
	await using setup = await RedactionSetup.open([], {});
	const { client, model } = setup;
	await client.open();
	model.script(uses("t1", "ask_user", { label: "Key?", type: "password" }), says("well"));
	await client.call("send_message", { content: "ask" });
	const { token } = (await client.event("prompt.request")).payload;
	// Repeated and overlong passwords must also be absent.
	const long = other.padEnd(5_000, "-");
	const first = await setup.typeIntoPage(token, long);
	const second = await setup.typeIntoPage(token, password);
	await client.event("assistant.message");
	const { requests, frames, answers, log } = setup;
	expect(answers.join("")).toContain("Thank you");
	const stored = await setup.leftovers();
	const logged = log.join("\n");
	expect(logged).toContain("/secret/…");
	const everything = { ...stored, requests: requests.join("\n"), answers: answers.join("\n"), log: logged };
	const sinks = Object.entries({ ...everything, frames: frames.join("\n") });
	expect(sinks.flatMap(([sink, text]) => findIn([password, other], text).map(() => sink))).toEqual([]);
	const ids = [first, second].map((address) => address.split("/").at(-1) ?? "");
	for (const [sink, text] of Object.entries(everything)) expect(findSecrets(ids, text), sink).toEqual([]);
});

test("a secret in a reply is redacted at any split of the reply", { timeout: paced(120_000) }, async () => {
	const [plain = "", spaced = ""] = registered;
	await using setup = await RedactionSetup.open(registered, {});
	await setup.client.open();
	for (const secret of [plain, spaced]) {
		const text = `so: ${secret} it is`;
		for (let at = 1; at < text.length; at++) {
			setup.model.script({ ...says(text), cut: (fullText) => [fullText.slice(0, at), fullText.slice(at)] });
			await setup.ask("say");
		}
	}
	const shown = setup.frames.filter((frame) => frame.includes('"assistant.'));
	expect(findIn(registered, shown.join("\n"))).toEqual([]);
	// A secret must also not be split across the deltas of a reply.
	const deltas = shown.flatMap(
		(frame) => /"(?:delta|text|content)":"((?:[^"\\]|\\.)*)"/.exec(frame)?.[1] ?? [],
	);
	expect(findIn(registered, deltas.join(""))).toEqual([]);
	expect(shown.join("")).toContain("[redacted]");
});
