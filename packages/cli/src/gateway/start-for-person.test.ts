import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { alreadyRunning, welcome } from "./start-for-person.ts";

const plain = createStyles(false);
const gateway = {
	urls: ["http://127.0.0.1:7777", "http://127.0.0.1:8080"],
	provider: "offline",
	model: "offline",
	dataDirectory: "/home/ada/.local/share/parley",
};

test("a person is told who answers, where the data is, and what to do next", () => {
	const text = welcome(gateway, plain);
	expect(text).toContain("offline, a small assistant that is built in: it needs no key");
	expect(text).toContain(gateway.dataDirectory);
	expect(text).toContain("ws://127.0.0.1:7777/api/ws");
	for (const command of ["chat", 'ask "run: echo hi" -y', "help offline"]) {
		expect(text).toContain(`npx --no parley ${command}`);
	}
	expect(text).toContain("Ctrl-C");
});

test("a model of a provider is named", () => {
	expect(welcome({ ...gateway, provider: "else", model: "large" }, plain)).toContain("large of else");
});

test("a second start tells where the first one is", () => {
	const text = alreadyRunning({ pid: 42, urls: gateway.urls }, "/data");
	expect(text).toContain(
		"process 42, at http://127.0.0.1:7777, http://127.0.0.1:8080, with the data in /data",
	);
	expect(text).toContain("npx --no parley stop");
});
