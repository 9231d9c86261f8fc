import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayBinary } from "./measure/gateway-binary.ts";
import { type Figure, readOptions, report, roundsOf } from "./measure/report.ts";

/**
 * CPU of the gateway for a request of a local client: without a token, when the gateway asks the kernel for the user at
 * the other end, against the same request with a token. On one connection, and on a connection for each request.
 */
const requests = 200;
const options = readOptions(7);
const directory = mkdtempSync(join(tmpdir(), "parley-local-"));
const data = join(directory, "data");
mkdirSync(join(directory, "work"));
const gateway = await GatewayBinary.start(data, join(directory, "work"));
const token = readFileSync(join(data, "tokens/operator"), "utf8").trim();

const sides = {
	token: { authorization: `Bearer ${token}` },
	tokenless: {},
} as const;
type Round = Record<`${keyof typeof sides} ${"kept" | "each"}`, number>;

function ask(agent: Agent, headers: Readonly<Record<string, string>>): Promise<void> {
	return new Promise((resolve, reject) => {
		const sent = request({ agent, headers, host: "127.0.0.1", port: gateway.port, path: "/api/sessions" });
		sent.on("error", reject);
		sent.on("response", (response) => {
			if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
			response.resume().on("end", resolve);
		});
		sent.end();
	});
}

async function measure(side: keyof typeof sides, keepAlive: boolean): Promise<number> {
	const agent = new Agent({ keepAlive, maxSockets: 1 });
	const before = gateway.cpu();
	for (let n = 0; n < requests; n++) await ask(agent, sides[side]);
	agent.destroy();
	return (gateway.cpu() - before) / requests;
}

const rounds: Round[] = [];
for (const round of roundsOf(options, 2)) {
	const taken: Round = {
		"token kept": await measure("token", true),
		"tokenless kept": await measure("tokenless", true),
		"token each": await measure("token", false),
		"tokenless each": await measure("tokenless", false),
	};
	if (round >= 2) rounds.push(taken);
}
await gateway.kill();
rmSync(directory, { recursive: true });

const figure = (name: string, unit: string, value: (round: Round) => number): Figure => ({
	name,
	unit,
	values: rounds.map(value),
});
const kept = figure("without a token, on one connection", "ms CPU", (round) => round["tokenless kept"]);
const each = figure("without a token, a connection each", "ms CPU", (round) => round["tokenless each"]);
const ratio = figure(
	"without ÷ with a token, on one connection",
	"×",
	(round) => round["tokenless kept"] / round["token kept"],
);
const added = figure(
	"asking the kernel, for each connection",
	"ms CPU",
	(round) => round["tokenless each"] - round["token each"],
);
report(
	"local-request",
	[
		figure("with a token, on one connection", "ms CPU", (round) => round["token kept"]),
		kept,
		figure("with a token, a connection each", "ms CPU", (round) => round["token each"]),
		each,
		ratio,
		added,
	],
	[
		{ figure: ratio, atMost: 1.3 },
		{ figure: kept, atMost: 1, ofMachine: true },
		{ figure: each, atMost: 1, ofMachine: true, goal: true },
		// It grows with the connections of the whole machine, those included that ended within a minute.
		{ figure: added, atMost: 5, ofMachine: true },
	],
	options,
);
