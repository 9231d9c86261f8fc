import type { OwnAccount, SlackAnswer, SlackCall, SlackPort } from "../vocabulary/slack-port.ts";

type Handlers = Parameters<SlackPort["connect"]>[0];

type Answer = SlackAnswer | Error;

export function ok(body: Readonly<Record<string, unknown>> = {}): SlackAnswer {
	return { type: "ok", body };
}

export function refused(error: string, body: Readonly<Record<string, unknown>> = {}): SlackAnswer {
	return { type: "refused", error, body };
}

/** A Slack with scripted responses for single calls. It records all calls. */
export class ScriptedPort implements SlackPort {
	/** Calls in order. Answers to a `response_url` are recorded as calls of `respond`, uploads as calls of `upload`. */
	readonly calls: SlackCall[] = [];
	readonly downloads = new Map<string, Uint8Array>();
	/** Each response is for one call of a method. All other calls succeed. */
	readonly #script: {
		readonly method: string;
		readonly answer: Answer | ((args: SlackCall["args"]) => Answer | Promise<Answer>);
	}[] = [];
	#next = 900;

	get methods(): string[] {
		return this.calls.map(({ method }) => method);
	}

	get last(): SlackCall["args"] | undefined {
		return this.calls.at(-1)?.args;
	}

	answer(
		method: string,
		...answers: (Answer | ((args: SlackCall["args"]) => Answer | Promise<Answer>))[]
	): void {
		for (const answer of answers) this.#script.push({ method, answer });
	}

	async call({ method, args }: SlackCall): Promise<SlackAnswer> {
		this.calls.push({ method, args });
		const index = this.#script.findIndex((step) => step.method === method);
		const [step] = index < 0 ? [] : this.#script.splice(index, 1);
		const answer = typeof step?.answer === "function" ? await step.answer(args) : step?.answer;
		if (answer instanceof Error) throw answer;
		return answer ?? this.#carriedOut(method, args);
	}

	respond(url: string, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer> {
		return this.call({ method: "respond", args: { url, ...body } });
	}

	upload(url: string, bytes: Uint8Array): Promise<SlackAnswer> {
		return this.call({ method: "upload", args: { url, bytes } });
	}

	async download(url: string): Promise<Uint8Array> {
		const bytes = this.downloads.get(url);
		if (bytes === undefined) throw new Error(`nothing is at ${url}`);
		return bytes;
	}

	async connect(): Promise<void> {}

	async close(): Promise<void> {}

	#carriedOut(method: string, { channel, ts }: SlackCall["args"]): SlackAnswer {
		const n = this.#next++;
		switch (method) {
			case "chat.postMessage":
			case "chat.startStream":
				return ok({ channel, ts: `1700000${n}.000100` });
			case "chat.update":
				return ok({ channel, ts });
			case "conversations.open":
				return ok({ channel: { id: "D1" } });
			case "files.getUploadURLExternal":
				return ok({ upload_url: `https://files.slack.com/upload/${n}`, file_id: `F${n}` });
			case "conversations.history":
			case "conversations.replies":
				return ok({ messages: [], has_more: false });
			default:
				return ok();
		}
	}
}

export const self: OwnAccount = {
	team: "T1",
	user: "UBOT",
	bot: "BBOT",
	name: "parley",
	url: "https://acme.slack.com/",
};

/** A scripted port with some people and channels. It also records its connection. */
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
		const isReported = answer.type !== "ok" || Object.keys(answer.body).length > 0;
		return isReported ? answer : this.#known(call);
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
