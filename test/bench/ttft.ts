import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "@parley/base";
import { migrations } from "@parley/core";
import { DrainClient } from "./measure/drain-client.ts";
import { type Figure, median, readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { startServer } from "./measure/server-process.ts";

/**
 * Time that the gateway adds to the first token: from sending a message to the first delta, including the durable
 * commit. The times of the same reply from the SDK alone and of a `ws` round trip are subtracted. For comparison, the
 * bench also measures the commit with bare node:sqlite (WAL, synchronous=FULL) on the same disk. The four cases
 * alternate after each message, which makes their caches similarly warm.
 */
const turns = 40;
const order = "words 2";
/**
 * Number of unmeasured warm-up rounds. The bench measures a warm gateway, like one that has answered many messages.
 */
const warmUp = 8;
const options = readOptions(5);

/** Returns the milliseconds to the first frame that contains `mark`. Resolves after a frame with `end`. */
async function roundTrip(client: DrainClient, text: string, mark: string, end = mark): Promise<number> {
	const first = client.until(mark);
	const ended = end === mark ? first : client.until(end);
	const began = performance.now();
	client.send(text);
	await first;
	const elapsed = performance.now() - began;
	await ended;
	return elapsed;
}

const directory = mkdtempSync(join(tmpdir(), "parley-ttft-"));
const file = join(directory, "floor.sqlite");
await (await openSqliteStore({ file, migrations })).close();
const database = new DatabaseSync(file);
database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 200");

const count = database.prepare(
	"select (select max(ordinal) from runs where session_id = $id) as ordinal, " +
		"(select count(*) from runs where session_id = $id and state <> 'ended') as open",
);
const run = database.prepare(
	"insert into runs (epoch, v, id, session_id, ordinal, state, content, accept_all, cancel_requested, created_at) " +
		"values (1, 1, ?, ?, ?, 'ended', 'text', 0, 0, 1)",
);
const step = database.prepare("insert into steps (epoch, v, run_id, n, at, data) values (1, 1, ?, 0, 1, ?)");
const update = database.prepare(
	"update sessions set last_seq = last_seq + 1, message_count = message_count + 1, updated_at = ? where id = ? " +
		"returning last_seq",
);
const event = database.prepare(
	"insert into events (id, session_id, seq, type, at, data, epoch, v) values (?, ?, ?, 'user.message', 1, ?, 1, 1)",
);

function createSession(session: string): void {
	database.exec(
		"insert into sessions (epoch, v, id, owner, title, root_dir, status, last_seq, message_count, input_tokens, " +
			"output_tokens, created_at, updated_at, profile, taint) " +
			`values (1, 1, '${session}', 'o', '', '/', 'active', 0, 0, 0, 0, 0, 0, 'default', '')`,
	);
}

/** Returns the milliseconds of a transaction like the one that stores an accepted message. */
function commitTime(session: string, turn: number): number {
	const id = `${session}-${turn}-${"i".repeat(20)}`;
	const began = performance.now();
	database.exec("begin immediate");
	count.all({ $id: session });
	run.run(id, session, turn);
	step.run(id, '{"kind":"call"}');
	update.all(turn, session);
	event.run(id, session, turn, "x".repeat(120));
	database.exec("commit");
	return performance.now() - began;
}

const model = await startServer("model-server");
const url = `http://127.0.0.1:${model.port}`;
const gateway = await startServer("gateway-sdk", url);
const sdk = await startServer("raw-sdk", url);
const raw = await startServer("raw-ws");
const ours = await DrainClient.open(gateway.port, "/api/ws");
const floor = await DrainClient.open(raw.port, "/");

const first: number[] = [];
const alone: number[] = [];
const echo: number[] = [];
const commit: number[] = [];
for (const round of roundsOf(options, warmUp)) {
	// Each round has a new session, because a session allows a burst of 100 requests and then 50 per second.
	await openSession(ours, {});
	createSession(`s${round}`);
	const rounds: { first: number; alone: number; echo: number; commit: number }[] = [];
	for (let turn = 0; turn < turns; turn++) {
		const message = request("send_message", { content: order });
		rounds.push({
			first: await roundTrip(ours, message, '"phase":"delta"', "assistant.message"),
			alone: await sdk.ask({ order, streams: 1 }),
			echo: await roundTrip(floor, message, "send_message"),
			commit: commitTime(`s${round}`, turn),
		});
	}
	if (round < warmUp) continue;
	first.push(median(rounds.map((one) => one.first)));
	alone.push(median(rounds.map((one) => one.alone)));
	echo.push(median(rounds.map((one) => one.echo)));
	commit.push(median(rounds.map((one) => one.commit)));
}
await Promise.all([gateway.stop(), sdk.stop(), raw.stop(), model.stop()]);
ours.close();
floor.close();
database.close();
rmSync(directory, { recursive: true });

const added: Figure = {
	name: "added to the first token, commit included",
	unit: "ms",
	values: first.map((value, index) => {
		return value - (alone[index] ?? 0) - (echo[index] ?? 0);
	}),
};
report(
	"ttft",
	[
		{ name: "gateway: message to first delta", unit: "ms", values: first },
		{ name: "SDK alone: request to first delta", unit: "ms", values: alone },
		{ name: "round trip through ws alone", unit: "ms", values: echo },
		{ name: "one commit (FULL), bare node:sqlite", unit: "ms", values: commit },
		added,
	],
	[{ figure: added, atMost: 5 }],
	options,
);
