import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DrainClient } from "./measure/drain-client.ts";
import { fillDatabase, lastWords, sessionId } from "./measure/fill-database.ts";
import { GatewayBinary } from "./measure/gateway-binary.ts";
import { readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { type Start, timeToLine } from "./measure/time-to-line.ts";
import { WriteLoad } from "./measure/write-load.ts";

/**
 * The real binary, killed repeatedly while clients send messages. Its database has 10,000 sessions with 200,000
 * events in total. Measures the next start, the time until a client has resumed an old session, and the memory.
 * Compares the start with a process that only imports the same modules, and the memory with an empty gateway. Checks
 * that no acknowledged message is missing. Every start continues the interrupted runs.
 */
const [sessions, events, people, loadMs] = [10_000, 20, 3, 400];
const options = readOptions(10);
const imports = fileURLToPath(new URL("./servers/imports.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "parley-recovery-"));
const data = join(directory, "data");
const file = join(data, "parley.sqlite");
mkdirSync(data, { mode: 0o700 });
await fillDatabase(file, sessions, events);

async function resumeTime({ port }: GatewayBinary, session: string): Promise<number> {
	const client = await DrainClient.open(port, "/api/ws");
	const replayed = client.until(lastWords);
	const began = performance.now();
	client.send(request("open_session", { session_id: session, after_seq: 0 }));
	await replayed;
	const elapsed = performance.now() - began;
	client.close();
	return elapsed;
}

async function emptyMemory(): Promise<number> {
	const empty = join(directory, "empty");
	await using gateway = await GatewayBinary.start(empty, directory);
	const client = await DrainClient.open(gateway.port, "/api/ws");
	await openSession(client, {});
	await setTimeout(loadMs);
	const bytes = gateway.memory();
	client.close();
	return bytes;
}

const acknowledged: WriteLoad["acknowledged"] = [];
interface Round extends Readonly<Record<"resume" | "memory" | "empty", number>> {
	readonly start: Start;
	readonly imported: Start;
}

const rounds: Round[] = [];
/** Number of unmeasured rounds. The first start fills the compile cache. */
const warmUp = 1;
let gateway = await GatewayBinary.start(data, directory);
for (const round of roundsOf(options, warmUp)) {
	const load = new WriteLoad();
	await load.begin(gateway.port, people);
	await setTimeout(loadMs);
	await gateway.kill();
	load.end();
	acknowledged.push(...load.acknowledged);
	gateway = await GatewayBinary.start(data, directory);
	const resume = await resumeTime(gateway, sessionId(1 + round * 7));
	await setTimeout(loadMs);
	const memory = gateway.memory();
	const measured = { start: gateway.begun, resume, memory };
	const base = { imported: await timeToLine([imports], directory), empty: await emptyMemory() };
	if (round >= warmUp) rounds.push({ ...measured, ...base });
}
await gateway.kill();

/**
 * Counts acknowledged messages that are lost or duplicated as `lost`, and sessions with incorrect sequence numbers
 * as `misnumbered`.
 */
function findFaults(): { readonly lost: number; readonly misnumbered: number } {
	const database = new DatabaseSync(file, { readOnly: true });
	const find = database.prepare(
		"select count(*) as found from events where session_id = ? and type = 'user.message' and data ->> 'content' = ?",
	);
	const lost = acknowledged.filter(
		({ session, content }) => find.get(session, content)?.["found"] !== 1,
	).length;
	const misnumbered = database
		.prepare(
			"select s.id from sessions s left join events e on e.session_id = s.id group by s.id " +
				"having count(distinct e.seq) <> s.last_seq or count(e.seq) <> s.last_seq or max(e.seq) <> s.last_seq",
		)
		.all().length;
	database.close();
	return { lost, misnumbered };
}

const { lost, misnumbered } = findFaults();
rmSync(directory, { recursive: true });
const megabytes = (bytes: number): number => bytes / 1024 / 1024;
const start = { name: "spawn to listening", unit: "ms", values: rounds.map((round) => round.start.clock) };
const ratioBy = (quantity: keyof Start): number[] =>
	rounds.map((round) => round.start[quantity] / round.imported[quantity]);
const ratio = { name: "listening ÷ bare import", unit: "×", values: ratioBy("clock") };
const cpu = { name: "listening ÷ bare import, by CPU", unit: "×", values: ratioBy("cpu") };
const resume = {
	name: "first session resumed, 20 events",
	unit: "ms",
	values: rounds.map((round) => round.resume),
};
const memory = {
	name: "memory above that of an empty gateway",
	unit: "MB",
	values: rounds.map((round) => megabytes(round.memory - round.empty)),
};
const lostFigure = {
	name: `lost messages, of ${acknowledged.length} acknowledged`,
	unit: "",
	values: [lost],
};
const misnumberedFigure = { name: "sessions with a wrong seq", unit: "", values: [misnumbered] };
report(
	"recovery",
	[
		start,
		{
			name: "bare import of the same modules",
			unit: "ms",
			values: rounds.map((round) => round.imported.clock),
		},
		{ name: "spawn to listening, by CPU", unit: "ms", values: rounds.map((round) => round.start.cpu) },
		ratio,
		cpu,
		resume,
		{ name: "memory of an empty gateway", unit: "MB", values: rounds.map((round) => megabytes(round.empty)) },
		memory,
		lostFigure,
		misnumberedFigure,
	],
	[
		{ figure: cpu, atMost: 1.7, target: true },
		{ figure: cpu, atMost: 2 },
		{ figure: memory, atMost: 25 },
		{ figure: lostFigure, atMost: 0 },
		{ figure: misnumberedFigure, atMost: 0 },
		{ figure: ratio, atMost: 1.7, ofMachine: true },
		{ figure: start, atMost: 400, ofMachine: true },
		{ figure: resume, atMost: 5, ofMachine: true },
	],
	options,
);
