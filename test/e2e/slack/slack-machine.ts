import { commandTable } from "@parley/connector";
import { manifestOf } from "@parley/slack";
import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { Shown } from "../../simulators/slack/people/shown.ts";
import { defaultSettings } from "../../simulators/slack/platform/settings.ts";
import { Simulator } from "../../simulators/slack/platform/simulator.ts";
import { SlackServer } from "../../simulators/slack/server.ts";
import { Machine, unescaped } from "../machine.ts";

/**
 * Settings of the simulator. Slack allows one new socket per minute, but "a small amount of burst behavior is
 * tolerated". The simulator sends retries after seconds instead of minutes.
 */
const settings = { tiers: { ...defaultSettings.tiers, 1: 100 }, retriesMs: [0, 6_000, 12_000] };

export class SlackMachine extends Machine {
	readonly simulator = new Simulator({ settings, manifest: manifestOf({ shapes: commandTable }) });
	#server: SlackServer | undefined;

	static async open(): Promise<SlackMachine> {
		const machine = new SlackMachine("slack");
		await machine.begin((changed) => machine.#serve(changed));
		return machine;
	}

	get server(): SlackServer {
		if (this.#server === undefined) throw new Error("the machine is not open");
		return this.#server;
	}

	/** Returns the environment variables of `parley slack` in Socket Mode. */
	get tokens(): Record<string, string> {
		return { SLACK_BOT_TOKEN: this.simulator.token, SLACK_APP_TOKEN: this.simulator.appToken };
	}

	/** Resolves with the newest message that contains the text. */
	seen(text: string, channel: Channel): Promise<Shown> {
		return this.find(text, channel, read);
	}

	/** Resolves when the newest message in the channel has an approve button. */
	approvable(channel: Channel): Promise<void> {
		const buttons = (): readonly string[] => channel.shows().at(-1)?.buttons ?? [];
		return this.until("it can be approved", () => buttons().includes("Approve once"));
	}

	async #serve(changed: () => void) {
		this.simulator.state.listen(changed);
		const server = await SlackServer.start(this.simulator);
		this.#server = server;
		server.listen(changed);
		return { settings: { apiUrl: server.apiUrl }, close: () => server.close() };
	}
}

/** Returns the visible text, without the escapes of line ends. */
export function read({ text }: Shown): string {
	return unescaped(text).replace(/[ \\]+$/gm, "");
}
