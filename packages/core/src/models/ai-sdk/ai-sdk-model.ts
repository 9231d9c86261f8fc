import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type Clock, defined, type Logger } from "@parley/base";
import type { Model, ModelEvent, ModelRequest, OnResponseStart } from "../../vocabulary/model.ts";
import { Exchange } from "../exchange/exchange.ts";
import { checkKeyForm, chosenModel, serverUrl } from "../exchange/server-access.ts";
import { exchangeTexts } from "../exchange/texts.ts";
import type { Timeouts } from "../exchange/watchdog.ts";
import type { ModelTable } from "../table/model-table.ts";
import { encodeCall } from "./call-options.ts";
import { type ApiFamily, families, openLibrary } from "./families.ts";
import { ReplyParts } from "./reply-parts.ts";
import type { ServerTraits } from "./server-traits.ts";
import { streamError } from "./stream-error.ts";

const defaultTimeouts: Timeouts = { firstByteMs: 60_000, idleMs: 45_000, totalMs: 600_000 };

export interface AiSdkOptions {
	/** Name of the provider, as in `provider/model`. */
	readonly provider: string;
	readonly family: ApiFamily;
	/** Address of the API, including the version of the API, such as https://api.example.org/v1. */
	readonly baseUrl: string;
	/** Key of the API. Undefined if the server needs no authentication. */
	readonly apiKey: string | undefined;
	/** Name of the option or environment variable that contains the key, for error messages. */
	readonly keyName?: string;
	readonly table: ModelTable;
	readonly clock: Clock;
	readonly log: Logger;
	/** Model for sessions that choose no model. Default: the provider's default model in the table. */
	readonly defaultModel?: string;
	readonly traits?: ServerTraits;
	readonly timeouts?: Partial<Timeouts>;
	readonly fetch?: typeof fetch;
}

/**
 * Creates the models of a provider behind the provider interface of the `ai` project (`LanguageModelV4`). Each request
 * is one attempt, follows no redirects, and sends the key only to the host of the base URL. Throws `invalid_argument`
 * for an invalid base URL or key, and `failed_precondition` if there is no default model.
 */
export function createAiSdkModel(options: AiSdkOptions): Model {
	return new AiSdkModel(options);
}

class AiSdkModel implements Model {
	readonly provider: string;
	readonly defaultModel: string;
	readonly #options: AiSdkOptions;
	readonly #host: string;
	readonly #timeouts: Timeouts;
	/** Models for which a warning about omitted settings was logged. */
	readonly #warned = new Set<string>();

	constructor(options: AiSdkOptions) {
		const { provider, apiKey, baseUrl, table } = options;
		checkKeyForm(apiKey);
		this.#options = options;
		this.#host = serverUrl(baseUrl, provider).host;
		this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
		this.provider = provider;
		this.defaultModel = chosenModel(options.defaultModel, table, provider);
	}

	async *stream(
		request: ModelRequest,
		signal: AbortSignal,
		answered?: OnResponseStart,
	): AsyncGenerator<ModelEvent> {
		const exchange = this.#exchange(request, { signal, answered });
		const reply = new ReplyParts(this.provider, exchange.facts);
		try {
			const { stream } = await (await this.#open(request, exchange)).doStream(this.#encode(request));
			yield { type: "started" };
			for await (const part of stream) {
				for (const event of reply.receive(part)) yield event;
				if (reply.finished) exchange.finish();
			}
		} catch (reason) {
			// An error after the end of a reply does not affect the reply.
			if (!reply.finished) throw exchange.explain(streamError(reason, exchange.facts));
		} finally {
			exchange.close();
		}
		if (!reply.finished) throw exchange.explain();
		this.#warn(request.model, reply);
	}

	#exchange(
		{ model }: ModelRequest,
		call: { signal: AbortSignal; answered: OnResponseStart | undefined },
	): Exchange {
		const { apiKey, keyName, clock, family } = this.#options;
		const { api } = families[family];
		const key = { keyName, keyed: Boolean(apiKey) };
		return new Exchange({ host: this.#host, model, clock, api, ...key, ...call, timeouts: this.#timeouts });
	}

	#open({ model }: ModelRequest, exchange: Exchange): Promise<LanguageModelV4> {
		const { family, baseUrl, apiKey, fetch: send = fetch } = this.#options;
		const guarded = exchange.fetching(send, families[family].last);
		// The fetch function belongs to one exchange, so each request opens the library again.
		return openLibrary({ family, baseUrl, apiKey, fetch: guarded }, model);
	}

	#encode(request: ModelRequest): LanguageModelV4CallOptions {
		const { table, family, traits = {} } = this.#options;
		return encodeCall(request, {
			provider: this.provider,
			info: table.find(request.model, this.provider),
			family,
			traits,
		});
	}

	#warn(model: string, { isCorrected, unsupported }: ReplyParts): void {
		const { log } = this.#options;
		if (isCorrected) log.warn(exchangeTexts.invalidCounts, { model });
		if (unsupported.length === 0 || this.#warned.has(model)) return;
		this.#warned.add(model);
		log.warn(exchangeTexts.leftOutSettings, defined({ model, settings: unsupported }));
	}
}
