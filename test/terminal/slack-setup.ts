import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { commandTable } from "@parley/connector";
import { manifestOf } from "@parley/slack";
import { binary } from "../gateway-process.ts";
import { defaultSettings } from "../simulators/slack/platform/settings.ts";
import { Simulator } from "../simulators/slack/platform/simulator.ts";
import { SlackServer } from "../simulators/slack/server.ts";
import { Watch } from "../watch.ts";
import { Screen } from "./screen.ts";
import { Setup } from "./setup.ts";

/**
 * Settings of the simulator. Slack allows one new socket per minute, but tolerates "a small amount of burst
 * behavior": https://docs.slack.dev/apis/web-api/rate-limits
 */
const settings = { tiers: { ...defaultSettings.tiers, 1: 100 } };

/** A data directory and a simulated Slack, optionally with a gateway. */
export class SlackSetup implements AsyncDisposable {
	readonly server: SlackServer;
	readonly data: string;
	/** Additional environment variables for `run`. */
	readonly settings: Record<string, string> = {};
	readonly #setup: Setup | undefined;
	readonly #screens: Screen[] = [];
	readonly #changes = new Watch();

	private constructor(server: SlackServer, setup?: Setup) {
		this.server = server;
		this.#setup = setup;
		this.data = setup?.data ?? realpathSync(mkdtempSync(join(tmpdir(), "parley-slack-")));
		mkdirSync(join(this.data, "connectors"), { mode: 0o700 });
		this.writes("parley.config.json", { slack: { apiUrl: server.apiUrl } });
		// The request is complete only after this callback has returned.
		server.listen(() => void setImmediate(() => this.#changes.notify()));
	}

	static async open(): Promise<SlackSetup> {
		return new SlackSetup(await startSlack());
	}

	static async withGateway(): Promise<SlackSetup> {
		return new SlackSetup(await startSlack(), await Setup.open());
	}

	get simulator(): Simulator {
		return this.server.simulator;
	}

	get tokens(): Record<string, string> {
		return { SLACK_BOT_TOKEN: this.simulator.token, SLACK_APP_TOKEN: this.simulator.appToken };
	}

	writes(name: string, content: unknown): string {
		const file = join(this.data, name);
		writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
		return file;
	}

	run(...args: readonly string[]): Screen {
		if (!this.#setup) throw new Error("there is no gateway here");
		const env = { ...this.#setup.environment, ...this.tokens, ...this.settings };
		const screen = new Screen({ args, cwd: this.#setup.work, env });
		this.#screens.push(screen);
		return screen;
	}

	shows(look: () => string, words: string): Promise<void> {
		return this.#changes.until(`"${words}" is shown`, () => look().includes(words));
	}

	/** Runs `parley slack` without a terminal. Returns its exit code and output. */
	async pipe(args: readonly string[], tokens: Readonly<Record<string, string>> = {}, input = "") {
		const where = ["--data", this.data];
		const env = {
			PATH: process.env["PATH"],
			HOME: this.data,
			NO_COLOR: "1",
			PARLEY_DATA: this.data,
			...tokens,
		};
		const offline = args.some((arg) => arg === "manifest" || arg === "--help");
		const child = spawn(process.execPath, [binary, "slack", ...args, ...(offline ? [] : where)], {
			...{ cwd: this.data, env },
		});
		child.stdin.end(input);
		const [out, error, [code]] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, "close"),
		]);
		return { out, error, code };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const screen of this.#screens) screen.close();
		await this.#setup?.close();
		await this.server.close();
		rmSync(this.data, { recursive: true, force: true });
	}
}

export function startSlack(): Promise<SlackServer> {
	return SlackServer.start(new Simulator({ settings, manifest: manifestOf({ shapes: commandTable }) }));
}
