import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { Screen } from "./screen.ts";

/** A gateway for one test or file, with terminals that connect to it. */
export class Setup {
	// In /tmp, because the path of the temporary directory may be too long for a row of the screen.
	readonly root = realpathSync(mkdtempSync("/tmp/parley-terminal-"));
	readonly work = join(this.root, "work");
	readonly data = join(this.root, "data");
	readonly #screens: Screen[] = [];
	readonly #port: number;
	readonly #variables: Readonly<Record<string, string>>;
	#gateway: GatewayProcess | undefined;

	private constructor(port: number, variables: Readonly<Record<string, string>>) {
		this.#port = port;
		this.#variables = variables;
		mkdirSync(this.work);
	}

	static async open(variables: Readonly<Record<string, string>> = {}): Promise<Setup> {
		const setup = new Setup(await choosePort(), variables);
		await setup.startGateway();
		return setup;
	}

	async startGateway(): Promise<void> {
		this.#gateway = new GatewayProcess({
			...{ port: this.#port, data: this.data, root: this.work },
			environment: this.#variables,
		});
		if (!(await this.#gateway.ready)) throw new Error(this.#gateway.stderr.join("\n"));
	}

	get environment(): Readonly<Record<string, string>> {
		return {
			PATH: process.env["PATH"] ?? "",
			HOME: this.work,
			PARLEY_DATA: this.data,
			PARLEY_SANDBOX: "off",
		};
	}

	get gateway(): GatewayProcess {
		if (!this.#gateway) throw new Error("no gateway was started");
		return this.#gateway;
	}

	/** Restarts the gateway with an empty data directory. */
	async replaceData(): Promise<void> {
		await this.killGateway();
		rmSync(this.data, { recursive: true });
		await this.startGateway();
	}

	async killGateway(): Promise<void> {
		this.gateway.kill("SIGKILL");
		await this.gateway.exited;
	}

	run(...args: readonly string[]): Screen {
		return this.runWith({}, ...args);
	}

	/** Starts a command like `run`, with additional environment variables. */
	runWith(variables: Readonly<Record<string, string>>, ...args: readonly string[]): Screen {
		const screen = new Screen({ args, cwd: this.work, env: { ...this.environment, ...variables } });
		this.#screens.push(screen);
		return screen;
	}

	runProgram(program: string, ...args: readonly string[]): Screen {
		const screen = new Screen({ program, args, cwd: this.work, env: this.environment });
		this.#screens.push(screen);
		return screen;
	}

	/** Starts `parley chat`, and waits until it is ready for the first message. */
	async chat(...args: readonly string[]): Promise<Screen> {
		const screen = this.run("chat", ...args);
		await screen.rests("session sess_");
		return screen;
	}

	/** Removes the status row, whose content changes at any time, and replaces values that differ between runs. */
	normalise(text: string): string {
		return `${text
			.replace(/\s*\n(?:offline|sandbox off)(?: · .*)?$/, "")
			.replaceAll(this.work, "DIRECTORY")
			.replaceAll(/sess_[0-9a-z]{26}/g, `sess_${"x".repeat(26)}`)
			.replaceAll(/(\d+ messages?) {2}\S+$/gm, "$1  DIRECTORY")
			.replaceAll(/secret:pw_[0-9a-z]{26}/g, `secret:pw_${"x".repeat(26)}`)}\n`;
	}

	async close(): Promise<void> {
		for (const screen of this.#screens) screen.close();
		await this.killGateway();
		rmSync(this.root, { recursive: true, force: true });
	}
}
