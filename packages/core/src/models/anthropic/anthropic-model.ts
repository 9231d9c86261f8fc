import type { BaseAnthropic } from "@anthropic-ai/sdk";
import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { type Clock, defined, type Logger } from "@parley/base";
import type { Model, ModelEvent, ModelRequest, OnResponseStart } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { isFields } from "../exchange/errors.ts";
import { Exchange, type ExchangeCall } from "../exchange/exchange.ts";
import { checkKeyForm, chosenModel, serverUrl } from "../exchange/server-access.ts";
import { exchangeTexts } from "../exchange/texts.ts";
import type { Timeouts } from "../exchange/watchdog.ts";
import type { ModelTable } from "../table/model-table.ts";
import { ReplyEvents } from "./events.ts";
import { type Destination, type EncodedRequest, encodeInput, encodeRequest, headersOf } from "./request.ts";
import { anthropicTexts } from "./texts.ts";

const PROVIDER = "anthropic";
const OFFICIAL = "https://api.anthropic.com";

const defaultTimeouts: Timeouts = { firstByteMs: 60_000, idleMs: 45_000, totalMs: 600_000 };
/** Time limits for a token count. They are short because an estimate can replace the count. */
const countTimeouts: Timeouts = { firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 };
/** HTTP statuses with which a server shows that it cannot count tokens. */
const withoutCount: ReadonlySet<number | undefined> = new Set([404, 405, 501]);

/** Maximum delay of `setTimeout`, so that the SDK's timer fires only after the limits of the exchange. */
const NEVER_MS = 2 ** 31 - 1;

export interface AnthropicOptions {
	/** Name of the provider. Default: `anthropic`. */
	readonly provider?: string;
	/** Key of the API. Undefined if the server needs no authentication. */
	readonly apiKey: string | undefined;
	/** Name of the option or environment variable that contains the key, for error messages. */
	readonly keyName?: string;
	/** Address of a server with the Messages API. Default: Anthropic's server. A trailing `/v1` is ignored. */
	readonly baseUrl?: string;
	readonly table: ModelTable;
	readonly clock: Clock;
	readonly log: Logger;
	/** Model for sessions that choose no model. Default: the provider's default model in the table. */
	readonly defaultModel?: string;
	readonly timeouts?: Partial<Timeouts>;
	readonly fetch?: typeof fetch;
}

/**
 * Creates the models of Anthropic, or of another server with Anthropic's Messages API. Each request is one attempt,
 * follows no redirects, and sends the key only to the host of the base URL. Throws `invalid_argument` if the base URL
 * or the key is invalid, and `failed_precondition` if there is no default model.
 */
export function createAnthropicModel(options: AnthropicOptions): Model {
	return new AnthropicModel(options);
}

class AnthropicModel implements Model {
	readonly provider: string;
	readonly defaultModel: string;
	readonly #options: AnthropicOptions;
	readonly #address: Address;
	readonly #timeouts: Timeouts;
	/** Models for which a warning about omitted settings was logged. */
	readonly #warned = new Set<string>();
	#client: Promise<BaseAnthropic> | undefined;
	/** Whether to request token counts. False after a server other than Anthropic's refused to count tokens. */
	#counts = true;

	constructor(options: AnthropicOptions) {
		checkKeyForm(options.apiKey);
		this.#options = options;
		this.provider = options.provider ?? PROVIDER;
		this.#address = addressOf(options.baseUrl ?? OFFICIAL, this.provider);
		this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
		this.defaultModel = chosenModel(options.defaultModel, options.table, this.provider);
	}

	async *stream(
		request: ModelRequest,
		signal: AbortSignal,
		answered?: OnResponseStart,
	): AsyncGenerator<ModelEvent> {
		const exchange = this.#exchange(request, { signal, answered, timeouts: this.#timeouts });
		const reply = new ReplyEvents(exchange.facts);
		try {
			const { body, dropped } = encodeRequest(request, this.#destination(request));
			if (dropped.length > 0) this.#warnOfDropped(request.model, dropped);
			const client = await this.#connect();
			const options = { ...exchange.streaming, body, stream: true, headers: headersOf(body) };
			// `messages.create` sends the same request, but also prints a line on stderr if the model is deprecated.
			const events = await client.post<Stream<RawMessageStreamEvent>>("/v1/messages", options);
			yield { type: "started" };
			for await (const event of events) {
				for (const part of reply.receive(event)) yield part;
				if (reply.finished) exchange.finish();
			}
		} catch (reason) {
			// An error after the end of a reply does not affect the reply.
			if (!reply.finished) throw exchange.explain(reason);
		} finally {
			exchange.close();
		}
		if (!reply.finished) throw exchange.explain();
		if (reply.isCorrected) this.#options.log.warn(exchangeTexts.invalidCounts, { model: request.model });
	}

	async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
		if (!this.#counts) return undefined;
		const exchange = this.#exchange(request, { signal, timeouts: countTimeouts });
		try {
			const body = encodeInput(request, this.#destination(request));
			const client = await this.#connect();
			const options = { ...exchange.plain, body, headers: headersOf(body) };
			const counted = await client.post<unknown>("/v1/messages/count_tokens", options);
			return isFields(counted) ? naturalNumber(counted["input_tokens"]) : undefined;
		} catch (reason) {
			if (!this.#address.custom || !withoutCount.has(exchange.status)) throw exchange.explain(reason);
			this.#counts = false;
			return undefined;
		} finally {
			exchange.close();
		}
	}

	#exchange({ model }: ModelRequest, options: ExchangeCall): Exchange {
		const { host, custom } = this.#address;
		const { apiKey, keyName, clock } = this.#options;
		const key = { keyName, keyed: Boolean(apiKey) };
		if (apiKey || custom) return new Exchange({ host, model, clock, ...key, ...options });
		throw new ModelError(anthropicTexts.needsKey(host), { fault: "unauthenticated" });
	}

	#destination({ model }: ModelRequest): Destination {
		return { info: this.#options.table.find(model, this.provider), custom: this.#address.custom };
	}

	#connect(): Promise<BaseAnthropic> {
		this.#client ??= createClient(this.#options, this.#address);
		return this.#client;
	}

	#warnOfDropped(model: string, settings: EncodedRequest["dropped"]): void {
		if (this.#warned.has(model)) return;
		this.#warned.add(model);
		this.#options.log.warn(exchangeTexts.leftOutSettings, { model, settings });
	}
}

async function createClient({ apiKey, fetch }: AnthropicOptions, { url }: Address): Promise<BaseAnthropic> {
	// `Anthropic` adds an object for each part of the API, so it loads more slowly.
	const { BaseAnthropic } = await import("@anthropic-ai/sdk");
	return new BaseAnthropic({
		// Without a key, the SDK would search for a key in files of other tools.
		apiKey: apiKey || "none",
		...defined({ defaultHeaders: apiKey ? undefined : { authorization: null } }),
		baseURL: url,
		maxRetries: 0,
		timeout: NEVER_MS,
		logLevel: "off",
		openTelemetry: false,
		fetchOptions: { redirect: "manual" },
		...defined({ fetch }),
	});
}

interface Address {
	/** Base URL for the SDK, without the path of the endpoint. */
	readonly url: string;
	readonly host: string;
	/** Whether the server is not Anthropic's. */
	readonly custom: boolean;
}

function addressOf(baseUrl: string, provider: string): Address {
	const url = serverUrl(baseUrl, provider);
	const path = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
	return { url: `${url.origin}${path}`, host: url.host, custom: url.host !== new URL(OFFICIAL).host };
}

function naturalNumber(value: unknown): number | undefined {
	return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
