import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type Health, HealthReport } from "./health.ts";

function open() {
	const clock = new ManualClock();
	const reported: Health[] = [];
	return { clock, reported, report: new HealthReport(clock, (health) => reported.push(health)) };
}

test("a gateway that is unavailable for ten seconds is reported, and its return", () => {
	const { clock, reported, report } = open();
	report.gateway("connecting");
	report.gateway("lost");
	clock.advance(9999);
	report.gateway("open");
	report.gateway("lost");
	clock.advance(9999);
	expect(reported).toEqual([]);
	clock.advance(1);
	report.gateway("connecting");
	report.gateway("open");
	report.gateway("open");
	expect(reported).toEqual(["gateway-unreachable", "working"]);
});

test("an unreachable gateway has precedence over a failing model, and after a stop nothing is reported", () => {
	const { clock, reported, report } = open();
	report.model(true);
	report.gateway("lost");
	clock.advance(10_000);
	report.gateway("open");
	report.model(false);
	report.gateway("lost");
	report.stop();
	clock.advance(10_000);
	expect(reported).toEqual(["model-failing", "gateway-unreachable", "model-failing", "working"]);
});

test("a connection that closes after the stop starts no timer, which would delay the end of the process", () => {
	const { clock, report } = open();
	report.stop();
	report.gateway("lost");
	expect(clock.pending).toBe(0);
});
