import { mkdtempDisposable, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import {
	type ConnectorWords,
	connectorFix,
	connectorWords,
	judge,
	ReportWriter,
	readConnectorStatuses,
	reportFileOf,
} from "./connector-report.ts";

const report = { state: "connected", pid: process.pid, since: 1_000, seen: 60_000 } as const;

test("reports a silent connector if its process has ended or does not write", () => {
	expect(judge(report, 100_000, true)).toEqual(report);
	expect(judge(report, 100_000, false)).toMatchObject({
		state: "silent",
		detail: expect.stringContaining("ended without a report"),
	});
	expect(judge(report, 121_000, true)).toMatchObject({
		state: "silent",
		detail: expect.stringContaining("has not reported its state"),
	});
	const refused = { ...report, state: "refused", detail: "no" } as const;
	expect(judge(refused, 999_000, false)).toEqual(refused);
});

test("describes each state, with a fix for each problem", () => {
	const status = { ...report, platform: "discord", open: 3, held: 1, waiting: 2 };
	expect(connectorWords(status, 61_000)).toBe(
		`connected for 1 min (process ${process.pid}); events to handle: 2, posts to send: 2, held posts: 1`,
	);
	expect(connectorFix(status)).toBe("`parley discord posts` lists the posts that need a decision");
	expect(connectorFix({ ...status, held: 0 })).toBeUndefined();
	const failed = { ...status, state: "failed", detail: "it broke" } as const;
	expect(connectorWords(failed, 61_000)).toBe("ended: it broke");
	expect(connectorFix(failed)).toContain("parley start");
});

test("writes the report for this user only, at changes and every five seconds, and deletes it at the end", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-report-"));
	const file = reportFileOf(directory.path, "discord");
	const [clock, states] = [new ManualClock(), [] as string[]];
	const { reportWriter } = storePosts({ file, clock, onChange: ({ state }) => void states.push(state) });
	await reportWriter.update({ state: "starting" });
	expect((await stat(file)).mode & 0o777).toBe(0o600);
	const polled: (() => void)[] = [];
	const looked = (): Promise<void> => new Promise((resolve) => void polled.push(resolve));
	const first = looked();
	reportWriter.watch(async () => {
		polled.shift()?.();
		return { state: "connected" };
	});
	await first;
	await reportWriter.update({ state: "connected" });
	const [since, second] = [clock.now(), looked()];
	clock.advance(5_000);
	await second;
	await reportWriter.update({ state: "connected" });
	expect(parseJson(await readFile(file, "utf8"))).toMatchObject({ since, seen: since + 5_000 });
	expect(states).toEqual(["starting", "connected"]);
	await reportWriter.end();
	expect(await readConnectorStatuses(directory.path, clock.now())).toEqual([]);
	expect(clock.pending).toBe(0);
});

test("keeps the reason for the end, and logs a failed write once", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-report-"));
	const clock = new ManualClock();
	const { reportWriter } = storePosts({ file: reportFileOf(directory.path, "discord"), clock });
	await reportWriter.end({ state: "refused", detail: "no such token" });
	expect(await readConnectorStatuses(directory.path, clock.now())).toMatchObject([
		{ platform: "discord", state: "refused", detail: "no such token" },
	]);
	await rm(directory.path, { recursive: true });
	const lost = storePosts({ file: "/dev/null/discord.json", clock });
	await lost.reportWriter.update({ state: "starting" });
	await lost.reportWriter.update({ state: "starting" });
	expect(lost.log.records).toMatchObject([{ level: "warn" }]);
});

function storePosts(parts: {
	readonly file: string;
	readonly clock: ManualClock;
	readonly onChange?: (words: ConnectorWords) => void;
}) {
	const log = new MemoryLogger();
	return { log, reportWriter: new ReportWriter({ ...parts, log, pid: process.pid }) };
}
