import { rm } from "node:fs/promises";
import { join } from "node:path";
import { MemoryLogger } from "@parley/base/testing";
import type { Client } from "@parley/protocol";
import type { SceneGateway } from "./scene-gateway.ts";
import type { Running, Site } from "./site.ts";

/**
 * Number of consecutive checks without a change after which a scene is calm. The checks are about one millisecond of
 * real time apart.
 */
const quietTurns = 15;

export class PlayedScene<S extends Site = Site> implements AsyncDisposable {
	readonly sceneGateway: SceneGateway;
	readonly site: S;
	readonly log = new MemoryLogger();
	readonly token: string;
	#connector: Running | undefined;

	static async open<S extends Site>(sceneGateway: SceneGateway, site: S): Promise<PlayedScene<S>> {
		const { platform, tenant, tenants } = site;
		const tokenRequest = { name: `${platform}-${tenant.toLowerCase()}`, platform, tenants: [...tenants] };
		const { token } = await sceneGateway.through(
			sceneGateway.operator.request("create_token", { kind: "connector", ...tokenRequest }),
		);
		const played = new PlayedScene(sceneGateway, site, token);
		await played.start();
		await sceneGateway.until(() => site.isReady, "the connector is there");
		return played;
	}

	private constructor(sceneGateway: SceneGateway, site: S, token: string) {
		this.sceneGateway = sceneGateway;
		this.site = site;
		this.token = token;
	}

	get operator(): Client {
		return this.sceneGateway.operator;
	}

	/** Starts the connector with the stored state of its previous process, if any. */
	async start(): Promise<void> {
		this.#connector = await this.site.connect({
			...{ gatewayUrl: this.sceneGateway.url, gatewayToken: this.token, dataDir: this.#data },
			...{ log: this.log, clock: this.sceneGateway.clock },
		});
	}

	async stop(): Promise<void> {
		const connector = this.#connector;
		this.#connector = undefined;
		if (connector) await this.sceneGateway.through(connector.stop());
	}

	async loseDatabase(): Promise<void> {
		await this.stop();
		this.site.forget();
		await rm(this.#data, { recursive: true });
	}

	/** Returns the outbox rows that wait for the operator or were given up. */
	async stuck(): Promise<string[]> {
		const status = await this.#connector?.status();
		return (status?.connector?.stuck ?? []).map(({ state, reason }) => `${state}: ${reason}`);
	}

	/** Waits until nothing changes while the clock is stopped. */
	async calm(): Promise<void> {
		let before = "";
		let quiet = 0;
		const isCalm = async (): Promise<boolean> => {
			const now = await this.#traces();
			quiet = now === before ? quiet + 1 : 0;
			before = now;
			// Stored events or posts may wait for an external response, so more checks are needed.
			return quiet > (now.startsWith("0 ") ? quietTurns : 20 * quietTurns);
		};
		await this.sceneGateway.until(isCalm, "nothing happens", "still");
	}

	async settle(): Promise<void> {
		let before = "";
		let quiet = 0;
		await this.sceneGateway.until(async () => {
			const now = await this.#traces();
			quiet = now === before ? quiet + 1 : 0;
			before = now;
			// More frequent calls of `#isAtWork` would exceed the gateway's rate limit.
			return quiet > 0 && quiet % quietTurns === 0 && !(await this.#isAtWork());
		}, "everything is done");
	}

	/** Returns the posts and the last log lines, for the report of a failed scene. */
	report(): string {
		const seen = this.site
			.rooms()
			.filter((room) => room.shows().length > 0)
			.map((room) => room.transcript());
		const lines = [...this.log.records, ...this.sceneGateway.log.records]
			.filter(({ level }) => level !== "debug")
			.slice(-25)
			.map(({ level, message, fields }) => `${level} ${message} ${written(fields)}`);
		return [...seen, "-- log", ...lines].join("\n");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
	}

	get #data(): string {
		return join(this.sceneGateway.memoryDirectory, `connector-${this.site.tenant}`);
	}

	async #traces(): Promise<string> {
		const { connector } = (await this.#connector?.status()) ?? {};
		const waiting = connector ? connector.waiting + connector.open : 0;
		return `${waiting} ${this.sceneGateway.log.records.length} ${this.log.records.length} ${this.site.traces()}`;
	}

	async #isAtWork(): Promise<boolean> {
		const { connector } = (await this.#connector?.status()) ?? {};
		const undecided = connector?.stuck.filter(({ state }) => state === "held").length ?? 0;
		if (connector && connector.waiting + connector.open > undecided) return true;
		if (!this.sceneGateway.runs) return false;
		const { sessions } = await this.operator.request("list_sessions", {});
		const { tasks } = await this.operator.request("query_tasks", { status: ["pending", "running"] });
		const names = this.site.tenants.map((tenant) => `${this.site.platform}:${tenant}:`);
		const own = sessions.filter(({ external_key = "" }) =>
			names.some((name) => external_key.startsWith(name)),
		);
		return (
			own.some(({ state }) => state === "running") ||
			tasks.some((task) => own.some(({ session_id }) => session_id === task.session_id))
		);
	}
}

function written(fields: Readonly<Record<string, unknown>>): string {
	return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.message : value));
}
