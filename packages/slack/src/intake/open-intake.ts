import type { Clock, Logger, Store } from "@parley/base";
import type { ConnectorTables, Malformed } from "@parley/connector";
import type { OwnAccount, SlackApi } from "../vocabulary/slack-port.ts";
import { Channels } from "./channels.ts";
import { Files } from "./files.ts";
import { Intake } from "./intake.ts";
import { Messages } from "./messages.ts";
import { outdatedIn } from "./outdated.ts";
import { ownThreads } from "./own-threads.ts";
import { People } from "./people.ts";
import { Threads } from "./threads.ts";
import { Viewed } from "./viewed.ts";

export function openIntake(parts: {
	readonly self: OwnAccount;
	readonly port: SlackApi;
	readonly store: Store<ConnectorTables>;
	readonly malformed: Malformed;
	readonly clock: Clock;
	readonly log: Logger;
}) {
	const outdated = outdatedIn(parts.store);
	const people = new People(parts);
	const channels = new Channels(parts);
	const files = new Files(parts);
	const threads = new Threads({ ...parts, known: ownThreads(parts.store) });
	const messages = new Messages({ ...parts, people, channels, threads, files });
	const viewed = new Viewed(parts.clock);
	const intake = new Intake({
		...parts,
		viewed,
		people,
		channels,
		threads,
		files,
		messages,
		outdated,
	});
	return { people, channels, files, messages, intake, outdated, viewed };
}
