import { spawn } from "node:child_process";
import { once } from "node:events";
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
import { WriteLoad } from "./measure/write-load.ts";

/**
 * The real binary on 10,000 sessions with 200,000 events, killed again and again (SIGKILL) while people talk with it:
 * how long the next start takes, against a process that only imports the same modules; how soon a client has one of
 * the old sessions again; how much memory that takes, against a gateway without any; and whether anything is missing
 * of what was acknowledged. Every start goes on with the runs that the kill cut off.
 */
const [sessions, events, people, loadMs] = [10_000, 20, 3, 400];
const options = readOptions(10);
const imports = fileURLToPath(new URL("./servers/imports.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "parley-recovery-"));
const data = join(directory, "data");
const file = join(data, "parley.sqlite");
mkdirSync(data, { mode: 0o700 });
await fillDatabase(file, sessions, events);

/** Milliseconds until a process has imported what the gateway imports. */
async function importTime(): Promise<number> {
	const began = performance.now();
	const child = spawn(process.execPath, [imports], { stdio: ["ignore", "pipe", "inherit"] });
	const exited = once(child, "exit");
	await once(child.stdout, "data");
	const taken = performance.now() - began;
	child.kill("SIGKILL");
	await exited;
	return taken;
}

/** Milliseconds from asking for a session to the last of its events. */
async function resumeTime({ port }: GatewayBinary, session: string): Promise<number> {
	const client = await DrainClient.open(port, "/api/ws");
	const replayed = client.until(lastWords);
	const began = performance.now();
	client.send(request("open_session", { session_id: session, after_seq: 0 }));
	await replayed;
	const taken = performance.now() - began;
	client.close();
	return taken;
}

/** Resident bytes of a gateway that has nothing but the one session somebody just made. */
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
const rounds: Record<"start" | "imported" | "resume" | "memory" | "empty", number>[] = [];
/** The first start compiles what the later ones find compiled; then comes the first kill. */
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
	const measured = { start: gateway.startMs, resume, memory };
	const base = { imported: await importTime(), empty: await emptyMemory() };
	if (round >= warmUp) rounds.push({ ...measured, ...base });
}
await gateway.kill();

/** What was acknowledged and is not there exactly once, and numbers of events that are missing or there twice. */
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
const start = { name: "spawn to listening", unit: "ms", values: rounds.map((round) => round.start) };
const ratio = {
	name: "listening ÷ bare import",
	unit: "×",
	values: rounds.map((round) => round.start / round.imported),
};
const resume = {
	name: "first session back, 20 events",
	unit: "ms",
	values: rounds.map((round) => round.resume),
};
const memory = {
	name: "memory beyond an empty gateway",
	unit: "MB",
	values: rounds.map((round) => megabytes(round.memory - round.empty)),
};
const lostFigure = { name: `lost of ${acknowledged.length} acknowledged messages`, unit: "", values: [lost] };
const misnumberedFigure = { name: "sessions with a wrong seq", unit: "", values: [misnumbered] };
report(
	"recovery",
	[
		start,
		{
			name: "bare import of the same modules",
			unit: "ms",
			values: rounds.map((round) => round.imported),
		},
		ratio,
		resume,
		{ name: "memory of an empty gateway", unit: "MB", values: rounds.map((round) => megabytes(round.empty)) },
		memory,
		lostFigure,
		misnumberedFigure,
	],
	[
		{ figure: ratio, atMost: 1.5 },
		{ figure: memory, atMost: 25 },
		{ figure: lostFigure, atMost: 0 },
		{ figure: misnumberedFigure, atMost: 0 },
		{ figure: start, atMost: 400, ofMachine: true },
		{ figure: resume, atMost: 5, ofMachine: true },
	],
	options,
);
