import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Shown } from "../../simulators/discord/people/shown.ts";
import { Simulator } from "../../simulators/discord/platform/simulator.ts";
import { DiscordServer } from "../../simulators/discord/server.ts";
import { Machine, unescaped } from "../machine.ts";

export class DiscordMachine extends Machine {
	readonly simulator = new Simulator();
	/** Requests to Discord in order, as method and route. */
	readonly requests: string[] = [];

	static async open(): Promise<DiscordMachine> {
		const machine = new DiscordMachine("discord");
		await machine.begin((changed) => machine.#serve(changed));
		return machine;
	}

	/** Returns the environment variables of `parley discord`. */
	get tokens(): Record<string, string> {
		return { DISCORD_TOKEN: this.simulator.token };
	}

	/** Resolves with the newest message that contains the text. */
	seen(text: string, channel: Channel): Promise<Shown> {
		return this.find(text, channel, read);
	}

	async #serve(changed: () => void) {
		this.simulator.state.listen(changed);
		this.simulator.network.each((label) => {
			this.requests.push(label);
			changed();
			return undefined;
		});
		const server = await DiscordServer.start(this.simulator);
		const { apiUrl, cdnUrl } = server;
		return { settings: { apiUrl, cdnUrl }, close: () => server.close() };
	}
}

export function read({ text }: Shown): string {
	return unescaped(text);
}
