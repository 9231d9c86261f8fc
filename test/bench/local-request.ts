import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, GatewayBinary } from "./measure/gateway-binary.ts";
import { type Figure, readOptions, report, roundsOf } from "./measure/report.ts";

/**
 * CPU time of the gateway for a request of a local client, without and with a token. Without a token, the gateway
 * looks up the user at the other end of the connection. The last two measurements of each round use a second
 * gateway, which also looks for processes of an unsandboxed command.
 */
const requests = 200;
const options = readOptions(7);
const directory = mkdtempSync(join(tmpdir(), "parley-local-"));
const data = join(directory, "data");
mkdirSync(join(directory, "work"));
const root = join(directory, "work");
const gateways = {
	before: await GatewayBinary.start(data, root),
	after: await GatewayBinary.start(join(directory, "after"), root, ["--sandbox", "off"]),
};
const command = ["ask", "--yes", "--data", join(directory, "after"), "run true"];
execFileSync(process.execPath, [binary, ...command], { cwd: root });
const token = readFileSync(join(data, "tokens/operator"), "utf8").trim();

const sides = {
	token: { authorization: `Bearer ${token}` },
	tokenless: {},
} as const;
type Round = Record<`${keyof typeof sides} ${"kept" | "each"}` | "after kept" | "after each", number>;

function ask(agent: Agent, port: number, headers: Readonly<Record<string, string>>): Promise<void> {
	return new Promise((resolve, reject) => {
		const sent = request({ agent, headers, host: "127.0.0.1", port, path: "/api/sessions" });
		sent.on("error", reject);
		sent.on("response", (response) => {
			if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
			response.resume().on("end", resolve);
		});
		sent.end();
	});
}

async function measure(
	side: keyof typeof sides,
	keepAlive: boolean,
	gateway = gateways.before,
): Promise<number> {
	const agent = new Agent({ keepAlive, maxSockets: 1 });
	const before = gateway.cpu();
	for (let n = 0; n < requests; n++) await ask(agent, gateway.port, sides[side]);
	agent.destroy();
	return (gateway.cpu() - before) / requests;
}

const rounds: Round[] = [];
for (const round of roundsOf(options, 2)) {
	const current: Round = {
		"token kept": await measure("token", true),
		"tokenless kept": await measure("tokenless", true),
		"token each": await measure("token", false),
		"tokenless each": await measure("tokenless", false),
		"after kept": await measure("tokenless", true, gateways.after),
		"after each": await measure("tokenless", false, gateways.after),
	};
	if (round >= 2) rounds.push(current);
}
for (const gateway of Object.values(gateways)) await gateway.kill();
rmSync(directory, { recursive: true });

const figure = (name: string, unit: string, value: (round: Round) => number): Figure => ({
	name,
	unit,
	values: rounds.map(value),
});
const onOneConnection = figure(
	"without a token, on one connection",
	"ms CPU",
	(round) => round["tokenless kept"],
);
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
const afterConnection = figure(
	"on one connection, after a command without a sandbox",
	"ms CPU",
	(round) => round["after kept"],
);
const addedAfter = figure(
	"looking for processes of tools, for each connection",
	"ms CPU",
	(round) => round["after each"] - round["tokenless each"],
);
report(
	"local-request",
	[
		figure("with a token, on one connection", "ms CPU", (round) => round["token kept"]),
		onOneConnection,
		figure("with a token, a connection each", "ms CPU", (round) => round["token each"]),
		each,
		ratio,
		added,
		afterConnection,
		addedAfter,
	],
	[
		{ figure: ratio, atMost: 1.3, target: true },
		{ figure: ratio, atMost: 1.6 },
		{ figure: onOneConnection, atMost: 1, ofMachine: true },
		{ figure: each, atMost: 1, ofMachine: true, target: true },
		// This time grows with the number of connections on the machine, including connections closed within the last
		// minute.
		{ figure: added, atMost: 5, ofMachine: true },
		// The time grows by 15 µs for each process on the machine.
		{ figure: addedAfter, atMost: 5, ofMachine: true },
	],
	options,
);
