import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, type FSWatcher, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { binary } from "../gateway-process.ts";
import { Simulator } from "../simulators/discord/platform/simulator.ts";
import { DiscordServer } from "../simulators/discord/server.ts";
import { Watch } from "../watch.ts";
import { Screen } from "./screen.ts";
import { Setup } from "./setup.ts";

/** The operator's gateway and a simulated Discord. */
export class DiscordSetup implements AsyncDisposable {
	readonly setup: Setup;
	readonly server: DiscordServer;
	readonly #screens: Screen[] = [];
	readonly #changes = new Watch();
	readonly #files: FSWatcher;

	private constructor(setup: Setup, server: DiscordServer) {
		this.setup = setup;
		this.server = server;
		const { apiUrl, cdnUrl } = server;
		writeFileSync(join(setup.data, "parley.config.json"), JSON.stringify({ discord: { apiUrl, cdnUrl } }));
		const connectors = join(setup.data, "connectors");
		mkdirSync(connectors, { mode: 0o700 });
		this.#files = watch(connectors, () => this.#changes.notify());
		server.simulator.network.each(() => {
			// The request is complete only after this callback has returned.
			setImmediate(() => this.#changes.notify());
			return undefined;
		});
	}

	static async open(): Promise<DiscordSetup> {
		const server = await DiscordServer.start(new Simulator({ settings: { buckets: {} } }));
		return new DiscordSetup(await Setup.open(), server);
	}

	get simulator(): Simulator {
		return this.server.simulator;
	}

	/** Returns the environment variables of a command, by default with the bot's token. */
	environment(token = this.simulator.token): Record<string, string> {
		return { ...this.setup.environment, DISCORD_TOKEN: token };
	}

	run(...args: readonly string[]): Screen {
		const screen = new Screen({ args, cwd: this.setup.work, env: this.environment() });
		this.#screens.push(screen);
		return screen;
	}

	/** Runs a command without a terminal. Returns its exit code and output. */
	async pipe(args: readonly string[], token?: string) {
		const child = spawn(process.execPath, [binary, ...args], {
			...{ cwd: this.setup.work, env: this.environment(token) },
		});
		child.stdin.end();
		const [out, error, [code]] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, "close"),
		]);
		return { out, error, code };
	}

	get reportFile(): string {
		return join(this.setup.data, "connectors", "discord.json");
	}

	shows(look: () => string, words: string): Promise<void> {
		return this.#changes.until(`"${words}" is shown`, () => look().includes(words));
	}

	/** Resolves with the process id of a connected connector, other than `than`. */
	async connectedOther(than?: number): Promise<number> {
		await this.#changes.until("another connector is connected", () => {
			const report = this.#report();
			return report?.state === "connected" && report.pid !== than;
		});
		return this.#report()?.pid ?? 0;
	}

	#report(): { readonly pid: number; readonly state: string } | undefined {
		if (!existsSync(this.reportFile)) return undefined;
		return JSON.parse(readFileSync(this.reportFile, "utf8"));
	}

	remove(...path: readonly string[]): void {
		rmSync(join(this.setup.data, ...path), { force: true });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const screen of this.#screens) screen.close();
		this.#files.close();
		await this.setup.close();
		await this.server.close();
	}
}
