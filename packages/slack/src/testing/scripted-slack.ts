import type { OwnAccount, SlackAnswer, SlackCall, SlackPort } from "../vocabulary/slack-port.ts";
import { ok, refused, ScriptedPort } from "./scripted-port.ts";

type Handlers = Parameters<SlackPort["connect"]>[0];

/** We, in the workspace of the tests. */
export const self: OwnAccount = {
	...{ team: "T1", user: "UBOT", bot: "BBOT", name: "parley", url: "https://acme.slack.com/" },
};

/** A scripted port that knows some people and channels, and whom it was connected with. */
export class ScriptedSlack extends ScriptedPort {
	readonly users: Record<string, object> = {
		UADA: { id: "UADA", team_id: "T1", name: "ada", profile: { display_name: "Ada" } },
		UGUEST: { id: "UGUEST", team_id: "T1", name: "gus", is_ultra_restricted: true },
		UOUT: { id: "UOUT", team_id: "T9", real_name: "Olga Out" },
	};
	readonly channels: Record<string, object> = {
		C1: { id: "C1", name: "general", is_member: true },
		C2: { id: "C2", name: "partners", is_member: true, is_ext_shared: true },
		C3: { id: "C3", name: "other", is_member: false },
		G1: { id: "G1", name: "mpdm", is_mpim: true },
		D1: { id: "D1", is_im: true },
	};
	readonly connected = Promise.withResolvers<Handlers>();
	closed = 0;

	override async call(call: SlackCall): Promise<SlackAnswer> {
		const answer = await super.call(call);
		const isTold = answer.type !== "ok" || Object.keys(answer.body).length > 0;
		return isTold ? answer : this.#known(call);
	}

	override async connect(handlers?: Handlers): Promise<void> {
		if (handlers) this.connected.resolve(handlers);
	}

	override async close(): Promise<void> {
		this.closed += 1;
	}

	#known({ method, args }: SlackCall): SlackAnswer {
		if (method === "users.info") {
			const user = this.users[String(args["user"])];
			return user ? ok({ user }) : refused("user_not_found");
		}
		if (method === "conversations.info") {
			const channel = this.channels[String(args["channel"])];
			return channel ? ok({ channel }) : refused("channel_not_found");
		}
		return ok();
	}
}
