import { expect, test } from "vitest";
import { findNearMiss } from "./near-miss.ts";

const names = ["listen", "data", "root", "logLevel", "auth"];

test.each([
	["listn", "listen"],
	["lsiten", "listen"],
	["Listen", "listen"],
	["listens", "listen"],
	["log-level", "logLevel"],
	["LOG_LEVEL", "logLevel"],
	["dat", "data"],
	["roots", "root"],
])("%s gets the suggestion %s", (word, suggestion) => {
	expect(findNearMiss(word, names)).toBe(suggestion);
});

test.each(["", "port", "host", "token", "x", "listenAddress"])("%j is similar to no name", (word) => {
	expect(findNearMiss(word, names)).toBeUndefined();
});
