import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { alreadyRunning, welcome } from "./start-for-person.ts";

const plain = createStyles(false);
const gateway = {
	urls: ["http://127.0.0.1:7777", "http://127.0.0.1:8080"],
	provider: "offline",
	model: "offline",
	dataDirectory: "/home/ada/.local/share/parley",
	resumed: 0,
};

test("a person is told who answers, where the data is, and what to do next", () => {
	expect(welcome(gateway, gateway.dataDirectory, plain)).toBe(`
  answers  offline, a small built-in assistant that needs no key
  data     /home/ada/.local/share/parley
  clients  ws://127.0.0.1:7777/api/ws (Ozzie)

  In another terminal, in this directory:
    npx --no parley chat                   talk to it
    npx --no parley ask "run: echo hi" -y  ask once
    npx --no parley help offline           what the offline assistant understands

  Ctrl-C stops it; conversations and unfinished work are kept.

`);
});

test("commands name a data directory that they would not find by themselves", () => {
	const elsewhere = { ...gateway, dataDirectory: "/tmp/ada's data" };
	expect(welcome(elsewhere, gateway.dataDirectory, plain)).toContain("chat --data '/tmp/ada'\\''s data' ");
});

test("a model of a provider is named, and so is what goes on", () => {
	const text = welcome({ ...gateway, provider: "else", model: "large", resumed: 2 }, "", plain);
	expect(text).toContain("answers  large\n");
	expect(text).toContain("resumed  unfinished work in 2 conversations\n");
});

test("a second start tells where the first one is", () => {
	const text = alreadyRunning({ pid: 42, urls: gateway.urls }, "/data");
	expect(text).toContain(
		"process 42, at http://127.0.0.1:7777, http://127.0.0.1:8080, with the data in /data",
	);
	expect(text).toContain("npx --no parley stop");
});
