import { type Clock, ParleyError, parseJson, type Timer } from "@parley/base";
import type { SlackAnswer, SlackCall, SlackEnvelope, SlackPort, SlackReply } from "@parley/slack";
import type { Envelope } from "./events/delivery.ts";
import { fileAt, loginPage, storeUpload } from "./platform/files.ts";
import type { Simulator } from "./platform/simulator.ts";
import type { ApiResponse } from "./web-api/exchange.ts";

export interface InProcessOptions {
	/** Bot token. By default, the token of the simulator. */
	readonly token?: string;
}

type Handlers = Parameters<SlackPort["connect"]>[0];

/** Milliseconds until the port reconnects after a lost connection. */
const reconnectMs = 1000;
/** Errors after which a retry cannot help: https://docs.slack.dev/reference/methods/auth.test#errors */
const final = new Set(["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"]);
const limits = { maxDepth: 64, maxNodes: 100_000 };

/** Connector port to the simulator, without sockets and with the simulator's clock. */
export class InProcessPort implements SlackPort {
	readonly #simulator: Simulator;
	readonly #clock: Clock;
	readonly #token: string;
	readonly #pending = new Set<Promise<SlackReply>>();
	#handlers: Handlers | undefined;
	#detach: (() => void) | undefined;
	#timer: Timer | undefined;
	#isClosed = false;
	#isDead = false;

	constructor(simulator: Simulator, options: InProcessOptions = {}) {
		this.#simulator = simulator;
		this.#clock = simulator.clock;
		this.#token = options.token ?? simulator.token;
	}

	async call({ method, args }: SlackCall): Promise<SlackAnswer> {
		this.#demandOpen();
		const request = { method, args: sent(args), token: this.#token };
		return answerOf(await this.#simulator.network.carry(method, () => this.#simulator.api.answer(request)));
	}

	async respond(url: string, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer> {
		this.#demandOpen();
		const carried = sent(body);
		return answerOf(
			await this.#simulator.network.carry("response_url", () => this.#simulator.respond(url, carried)),
		);
	}

	async upload(url: string, bytes: Uint8Array): Promise<SlackAnswer> {
		this.#demandOpen();
		const { state, network } = this.#simulator;
		return answerOf(
			await network.carry("upload", () => {
				const ok = storeUpload(state, url, bytes);
				return { status: ok ? 200 : 404, headers: {}, body: ok ? { ok } : { ok, error: "not_found" } };
			}),
		);
	}

	async download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array> {
		this.#demandOpen();
		signal.throwIfAborted();
		const { state, network, token } = this.#simulator;
		if (!url.startsWith(`${state.hosts.files}/`)) {
			throw new ParleyError("the address is not Slack's", { code: "permission_denied" });
		}
		const file = fileAt(state, url);
		const isRead = this.#token === token && state.app.scopes.has("files:read");
		const bytes = isRead && file?.bytes ? file.bytes : new TextEncoder().encode(loginPage);
		const answer = await network.carry("download", () => ({
			status: file ? 200 : 404,
			headers: {},
			body: { ok: true },
		}));
		signal.throwIfAborted();
		if (answer.status !== 200)
			throw new ParleyError("the file is no longer available", { code: "not_found" });
		if (!isRead) {
			throw new ParleyError("slack shows its login page instead of the file", { code: "permission_denied" });
		}
		if (bytes.byteLength > maximum) {
			throw new ParleyError(`the file is larger than ${maximum} bytes`, { code: "resource_exhausted" });
		}
		return Uint8Array.from(bytes);
	}

	async connect(handlers: Handlers): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#handlers = {
			...handlers,
			link: (link) => {
				handlers.link(link);
				resolve();
			},
		};
		void this.#open();
		await promise;
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		this.#leave();
		await Promise.allSettled(this.#pending);
	}

	/** Simulates a killed process: the port ignores further events and sends no acknowledgements. */
	kill(): void {
		this.#isDead = true;
		this.#isClosed = true;
		this.#handlers = undefined;
		this.#leave();
	}

	#leave(): void {
		this.#timer?.cancel();
		this.#detach?.();
		this.#detach = undefined;
	}

	#demandOpen(): void {
		if (this.#isClosed) throw new ParleyError("the port is closed", { code: "unavailable" });
	}

	async #open(): Promise<void> {
		if (this.#isClosed) return;
		const answer = await this.call({ method: "auth.test", args: {} }).catch((error: unknown) =>
			ParleyError.from(error),
		);
		if (this.#isClosed) return;
		if (answer instanceof ParleyError) this.#lose(answer.message);
		else if (answer.type === "rate-limited") this.#lose("slack limits our calls", answer.retryAfterMs);
		else if (answer.type === "ok") this.#listen();
		else if (final.has(answer.error)) this.#handlers?.link({ state: "refused", detail: answer.error });
		else this.#lose(answer.error);
	}

	#listen(): void {
		this.#detach = this.#simulator.delivery.attach({
			receive: (envelope) => this.#receive(envelope),
			cut: () => {
				this.#detach = undefined;
				this.#lose("the connection was cut");
			},
		});
		const { team, app } = this.#simulator.state;
		const account = {
			...{ team: team.id, user: app.user.id, bot: app.botId, name: app.user.handle },
			...{ url: `https://${team.domain}.slack.com/` },
			...(team.enterpriseId !== undefined && { enterprise: team.enterpriseId }),
		};
		this.#handlers?.link({ state: "ready", account });
	}

	#lose(detail: string, waitMs = reconnectMs): void {
		if (this.#isClosed) return;
		this.#handlers?.link({ state: "lost", detail });
		this.#timer?.cancel();
		this.#timer = this.#clock.after(waitMs, () => void this.#open());
	}

	async #receive({ type, body, attempt }: Envelope): Promise<SlackReply> {
		const kind = type === "interactive" ? listenerOf(body) : type;
		const pending = Promise.resolve(this.#handlers?.receive({ type: kind, body, attempt }));
		this.#pending.add(pending);
		try {
			const reply = await pending;
			if (this.#isDead) throw new ParleyError("the process is gone", { code: "unavailable" });
			return reply;
		} finally {
			this.#pending.delete(pending);
		}
	}
}

/** Returns the type of the listener that Bolt would call for `body`, or `unread` if Bolt would call none. */
function listenerOf(body: unknown): SlackEnvelope["type"] {
	return listeners.get(Object(body).type) ?? "unread";
}

const listeners: ReadonlyMap<string, SlackEnvelope["type"]> = new Map([
	["block_actions", "action"],
	["view_submission", "view"],
	["message_action", "shortcut"],
]);

/** Removes undefined fields, as the network does. */
function sent(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	// The cast is safe because a copy of an object is an object.
	return parseJson(JSON.stringify(value), limits) as Record<string, unknown>;
}

function answerOf({ status, headers, body }: ApiResponse): SlackAnswer {
	if (status === 429)
		return { type: "rate-limited", retryAfterMs: Number(headers["retry-after"] ?? 1) * 1000 };
	if (body["ok"] === true) return { type: "ok", body };
	if (typeof body["error"] === "string") return { type: "refused", error: body["error"], body };
	throw new ParleyError(`slack answered with status ${status}`, { code: "unavailable" });
}
