import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DrainClient } from "./measure/drain-client.ts";
import { GatewayBinary } from "./measure/gateway-binary.ts";
import { type Figure, readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";

/**
 * CPU of the gateway for a turn of the offline model, one turn at a time, with durable commits. A round opens
 * sessions and runs their first turns, then runs further turns in the same sessions. `--against DIRECTORY` compares
 * the gateway with the gateway of another checkout. The other checkout must contain a bundle. The two gateways
 * alternate, because the load of the machine varies.
 */
const sessionsOfRound = 50;
const turnsOfSession = 6;
/** Milliseconds for work that follows a reply, such as generating the title of the session. */
const settleMs = 150;
const options = readOptions(11);

class Side {
	readonly fresh: number[] = [];
	readonly open: number[] = [];
	readonly name: string;
	readonly #gateway: GatewayBinary;
	readonly #token: string;

	private constructor(name: string, gateway: GatewayBinary, token: string) {
		this.name = name;
		this.#gateway = gateway;
		this.#token = token;
	}

	static async start(name: string, command?: string): Promise<Side> {
		const data = join(directory, name, "data");
		const work = join(directory, name, "work");
		mkdirSync(work, { recursive: true });
		const gateway = await GatewayBinary.start(data, work, [], command);
		return new Side(name, gateway, readFileSync(join(data, "tokens/operator"), "utf8").trim());
	}

	async runRound(): Promise<{ readonly fresh: number; readonly open: number }> {
		const clients: DrainClient[] = [];
		const fresh = await this.#measure(sessionsOfRound, async () => {
			const client = await DrainClient.open(this.#gateway.port, "/api/ws", this.#token);
			clients.push(client);
			await openSession(client, {});
			await say(client);
		});
		const open = await this.#measure(sessionsOfRound * turnsOfSession, (turn) =>
			say(clients[turn % sessionsOfRound]),
		);
		for (const client of clients) client.close();
		await setTimeout(settleMs);
		return { fresh, open };
	}

	/** Returns the average CPU milliseconds of `act`. */
	async #measure(times: number, act: (time: number) => Promise<void>): Promise<number> {
		const before = this.#gateway.cpu();
		for (let time = 0; time < times; time++) await act(time);
		await setTimeout(settleMs);
		return (this.#gateway.cpu() - before) / times;
	}

	stop(): Promise<void> {
		return this.#gateway.kill();
	}
}

async function say(client: DrainClient | undefined): Promise<void> {
	const answered = client?.until("assistant.message");
	client?.send(request("send_message", { content: "say: a plain answer" }));
	await answered;
}

const directory = mkdtempSync(join(tmpdir(), "parley-turn-"));
const own = await Side.start("here");
const other = options.against && join(options.against, "packages/cli/bin/parley.mjs");
const sides = other === undefined ? [own] : [own, await Side.start("there", other)];
const warmUp = 6;
for (const round of roundsOf(options, warmUp)) {
	for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
		const { fresh, open } = await side.runRound();
		if (round < warmUp) continue;
		side.fresh.push(fresh);
		side.open.push(open);
	}
}
for (const side of sides) await side.stop();
rmSync(directory, { recursive: true });

const figures = sides.flatMap(({ name, fresh, open }): Figure[] => [
	{ name: `CPU of a turn in an open session, ${name}`, unit: "ms", values: open },
	{ name: `CPU of a new session with its first turn, ${name}`, unit: "ms", values: fresh },
]);
const turn: Figure = { name: "CPU of a turn in an open session", unit: "ms", values: own.open };
report("turn", figures, [{ figure: turn, atMost: 2.5, ofMachine: true }], options);
