import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "@parley/base";
import { migrations } from "@parley/core";
import { DrainClient } from "./measure/drain-client.ts";
import { type Figure, median, readOptions, report } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { startServer } from "./measure/server-process.ts";

/**
 * What the gateway adds to the first token: from sending a message to the first delta of a model that answers at once,
 * less a round trip of the same text through `ws` alone, less the one commit on that path. The commit is measured here:
 * the same rows in one transaction by bare node:sqlite, WAL and synchronous=FULL, on the same disk.
 */
const turns = 60;
/** Rounds that are not counted: a gateway that has answered some hundred messages is what people talk to. */
const warmUp = 8;
const options = readOptions(5);

async function roundTrips(
	client: DrainClient,
	text: () => string,
	mark: string,
	end: string | undefined,
): Promise<number> {
	const taken: number[] = [];
	for (let turn = 0; turn < turns; turn++) {
		const first = client.until(mark);
		const ended = end === undefined ? first : client.until(end);
		const began = performance.now();
		client.send(text());
		await first;
		taken.push(performance.now() - began);
		await ended;
	}
	return median(taken);
}

const directory = mkdtempSync(join(tmpdir(), "parley-ttft-"));
const file = join(directory, "floor.sqlite");
await (await openSqliteStore({ file, migrations })).close();
const database = new DatabaseSync(file);
database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 200");

/** Milliseconds of the transaction that accepts a message: the same rows in the same tables, bare. */
function commitTime(round: number): number {
	const session = `s${round}`;
	database.exec(
		`insert into sessions values (1, 1, '${session}', 'o', null, '', '/', 'active', 0, null, 0, 0, 0, 0, 0, null)`,
	);
	const run = database.prepare("insert into runs values (1, 1, ?, ?, ?, 'ended', 'text', 0, 0, 1, null)");
	const step = database.prepare("insert into steps values (1, 1, ?, 0, 1, ?)");
	const update = database.prepare("update sessions set last_seq = last_seq + 1, updated_at = ? where id = ?");
	const event = database.prepare(
		"insert into events (id, session_id, seq, type, at, data, epoch, v) values (?, ?, ?, 'user.message', 1, ?, 1, 1)",
	);
	const taken: number[] = [];
	for (let turn = 0; turn < turns; turn++) {
		const id = `${session}-${turn}-${"i".repeat(20)}`;
		const began = performance.now();
		database.exec("begin immediate");
		run.run(id, session, turn);
		step.run(id, '{"kind":"call"}');
		update.run(turn, session);
		event.run(id, session, turn, "x".repeat(120));
		database.exec("commit");
		taken.push(performance.now() - began);
	}
	return median(taken);
}

const gateway = await startServer("gateway");
const raw = await startServer("raw-ws");
const ours = await DrainClient.open(gateway.port, "/api/ws");
const floor = await DrainClient.open(raw.port, "/");

const first: number[] = [];
const echo: number[] = [];
const commit: number[] = [];
const message = (): string => request("send_message", { content: "2 1 20" });
for (let round = 0; round < warmUp + options.rounds; round++) {
	// A session holds at most 100 requests at once and 50 a second: each round has its own.
	await openSession(ours, {});
	const one = await roundTrips(ours, message, '"phase":"delta"', "assistant.message");
	const two = await roundTrips(floor, message, "send_message", undefined);
	const three = commitTime(round);
	if (round < warmUp) continue;
	first.push(one);
	echo.push(two);
	commit.push(three);
}
await Promise.all([gateway.stop(), raw.stop()]);
ours.close();
floor.close();
database.close();
rmSync(directory, { recursive: true });

const added: Figure = {
	name: "added to the first token beyond the commit",
	unit: "ms",
	values: first.map((value, index) => value - (echo[index] ?? 0) - (commit[index] ?? 0)),
};
report(
	"ttft",
	[
		{ name: "gateway: message to first delta", unit: "ms", values: first },
		{ name: "round trip through ws alone", unit: "ms", values: echo },
		{ name: "one commit (FULL), bare node:sqlite", unit: "ms", values: commit },
		added,
	],
	[{ figure: added, atMost: 0.35 }],
	options,
);
