import { ManualClock } from "@parley/base/testing";
import type { SlackTransport } from "@parley/slack";
import { onTestFinished } from "vitest";
import type { Socket } from "../../simulators/slack/events/socket.ts";
import { defaultSettings } from "../../simulators/slack/platform/settings.ts";
import { Simulator, type SimulatorOptions } from "../../simulators/slack/platform/simulator.ts";
import { SlackServer } from "../../simulators/slack/server.ts";
import { Watch } from "../../watch.ts";
import { type ClientOptions, probe, WatchedClient } from "./watched-client.ts";

/**
 * Settings of the simulator. Slack allows one new socket per minute, but tolerates "a small amount of burst
 * behavior": https://docs.slack.dev/apis/web-api/rate-limits
 */
const settings = { tiers: { ...defaultSettings.tiers, 1: 100 } };

/**
 * Sends a test event over each of the sockets. Resolves with the sockets when the clients have acknowledged these
 * events.
 */
export async function known(sockets: readonly Socket[]): Promise<readonly Socket[]> {
	const body = { type: "event_callback", event: { type: probe } };
	await Promise.all(sockets.map((socket) => socket.receive({ type: "event", body, attempt: 0 })));
	return sockets;
}

/** Starts a simulated Slack with a manual clock that its clients share. */
export async function openSlack(options: SimulatorOptions = {}) {
	const clock = new ManualClock();
	const simulator = new Simulator({ clock, settings, ...options });
	const server = await SlackServer.start(simulator);
	onTestFinished(() => server.close());
	const watch = new Watch();
	// The change is visible only after this callback has returned.
	server.listen(() => void setImmediate(() => watch.notify()));
	const [general, ada] = [simulator.channel("general"), simulator.member("Ada")];
	const { apiUrl, sockets } = server;
	const overSockets: SlackTransport = { type: "sockets", appToken: simulator.appToken };
	const client = (overrides: Partial<ClientOptions> = {}): WatchedClient =>
		new WatchedClient({
			botToken: simulator.token,
			transport: overSockets,
			apiUrl,
			clock,
			watch,
			...overrides,
		});
	return {
		...{ clock, simulator, server, sockets, watch, general, ada, client },
		says: (text: string) => ada.says(text, { in: general }),
		/** Waits until exactly `count` sockets are open, and returns them. */
		async opens(count: number): Promise<readonly Socket[]> {
			await watch.until(`${count} sockets are open`, () => sockets.open.length === count);
			return known([...sockets.open]);
		},
		/**
		 * Waits until at least `opened` sockets were opened in total and exactly `open` of them are open. Returns the open
		 * sockets.
		 */
		async replaced(opened: number, open = 2): Promise<readonly Socket[]> {
			await watch.until(`${opened} sockets were opened, and ${open} are open`, () => {
				return sockets.opened >= opened && sockets.open.length === open;
			});
			return known([...sockets.open]);
		},
	};
}
