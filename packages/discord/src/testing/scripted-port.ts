import type {
	DiscordPort,
	DiscordPresence,
	DiscordRequest,
	DiscordResponse,
} from "../vocabulary/discord-port.ts";

type Answer = Partial<DiscordResponse> | Error;

/** A scripted Discord that records all requests. */
export class ScriptedPort implements DiscordPort {
	readonly requests: DiscordRequest[] = [];
	/** Next answers, each for one `METHOD PATH`. Without a scripted answer, the response is 200 with the id of a new message. */
	readonly script: {
		readonly at: string;
		readonly answer: Answer | ((request: DiscordRequest) => Answer | Promise<Answer>);
	}[] = [];
	readonly downloads = new Map<string, Uint8Array>();
	#next = 900;

	get requestLines(): string[] {
		return this.requests.map(({ method, path }) => `${method} ${path}`);
	}

	get last(): unknown {
		return this.requests.at(-1)?.body;
	}

	answer(at: string, ...answers: (typeof this.script)[number]["answer"][]): void {
		for (const answer of answers) this.script.push({ at, answer });
	}

	async request(request: DiscordRequest): Promise<DiscordResponse> {
		this.requests.push(request);
		const at = `${request.method} ${request.path}`;
		const index = this.script.findIndex((step) => step.at === at);
		const [step] = index < 0 ? [] : this.script.splice(index, 1);
		const answer = typeof step?.answer === "function" ? await step.answer(request) : step?.answer;
		if (answer instanceof Error) throw answer;
		return { status: 200, headers: {}, body: { id: String(this.#next++) }, ...answer };
	}

	async download(url: string): Promise<Uint8Array> {
		const bytes = this.downloads.get(url);
		if (bytes === undefined) throw new Error(`nothing is at ${url}`);
		return bytes;
	}

	async connect(): Promise<void> {}

	readonly presences: DiscordPresence[] = [];

	present(presence: DiscordPresence): void {
		this.presences.push(presence);
	}

	async close(): Promise<void> {}
}
