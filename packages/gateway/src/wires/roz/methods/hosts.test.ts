import { operator, type Principal } from "@parley/core";
import { expect, test } from "vitest";
import { Host, Hosts } from "./hosts.ts";

const other: Principal = { id: "connector:other", kind: "connector" };

function host(): Host {
	return new Host("rover", { registered: () => ({ tools: [], guidance: [] }), request: () => undefined });
}

test("a host is found only by its own principal, and the later of two hosts with one id", () => {
	const hosts = new Hosts();
	const [first, second] = [host(), host()];
	const withdrawFirst = hosts.declare(operator, "rover", first);
	const withdrawSecond = hosts.declare(operator, "rover", second);
	expect(hosts.find(other, "rover")).toBeUndefined();
	expect(hosts.find(operator, "arm")).toBeUndefined();
	expect(hosts.find(operator, "rover")).toBe(second);
	withdrawSecond();
	expect(hosts.find(operator, "rover")).toBe(first);
	withdrawFirst();
	expect(hosts.find(operator, "rover")).toBeUndefined();
});
