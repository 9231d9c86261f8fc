import type { AssistantMessage, Message } from "../../vocabulary/message.ts";
import type { Model, ModelEvent, ModelRequest, OnResponseStart } from "../../vocabulary/model.ts";

/**
 * Creates a model that sends each request to one of several providers: `provider/name` to that provider, and any other
 * name to the home provider. Each provider receives the model name without the provider's prefix.
 */
export function createRoutedModel(home: Model, others: readonly Model[]): Model {
	return new RoutedModel(home, others);
}

interface Route {
	readonly model: Model;
	/** The provider's own name of the model. */
	readonly name: string;
	/**
	 * Prefix of the provider's model names. For the home provider, the prefix is "" unless the model's own name begins
	 * with the prefix of another provider.
	 */
	readonly prefix: string;
}

class RoutedModel implements Model {
	readonly provider: string;
	readonly defaultModel: string;
	readonly countTexts?: NonNullable<Model["countTexts"]>;
	readonly #home: Model;
	readonly #others: ReadonlyMap<string, Model>;

	constructor(home: Model, others: readonly Model[]) {
		this.provider = home.provider;
		this.defaultModel = home.defaultModel;
		this.#home = home;
		this.#others = new Map(others.map((model) => [`${model.provider}/`, model]));
		const { countTexts } = home;
		if (countTexts) this.countTexts = (...args) => countTexts.apply(home, args);
	}

	async *stream(
		request: ModelRequest,
		signal: AbortSignal,
		answered?: OnResponseStart,
	): AsyncGenerator<ModelEvent> {
		const { model, name, prefix } = this.#route(request.model);
		const own = name === request.model ? request : withoutPrefix(request, prefix, name);
		for await (const event of model.stream(own, signal, answered)) {
			yield event.type === "usage" || event.type === "end"
				? { ...event, model: `${prefix}${event.model}` }
				: event;
		}
	}

	async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
		const { model, name, prefix } = this.#route(request.model);
		const own = name === request.model ? request : withoutPrefix(request, prefix, name);
		return model.countTokens?.(own, signal);
	}

	async settled(signal: AbortSignal, name: string): Promise<void> {
		const route = this.#route(name);
		await route.model.settled?.(signal, route.name);
	}

	windowOf(name: string): number | undefined {
		const route = this.#route(name);
		return route.model.windowOf?.(route.name);
	}

	routeOf(name: string): Model {
		return this.#route(name).model;
	}

	#route(name: string): Route {
		for (const [prefix, model] of this.#others) {
			if (name.startsWith(prefix)) return { model, name: name.slice(prefix.length), prefix };
		}
		const own = `${this.provider}/`;
		const plain = name.startsWith(own) ? name.slice(own.length) : name;
		const isOfOther = [...this.#others.keys()].some((prefix) => plain.startsWith(prefix));
		return { model: this.#home, name: plain, prefix: isOfOther ? own : "" };
	}
}

function withoutPrefix(request: ModelRequest, prefix: string, model: string): ModelRequest {
	if (prefix === "") return { ...request, model };
	const messages = request.messages.map((message) => ownMessage(message, prefix, model));
	return { ...request, model, messages };
}

const renamed = new WeakMap<AssistantMessage, AssistantMessage>();
const unnamed = new WeakMap<AssistantMessage, AssistantMessage>();

/**
 * Returns the message with the provider's own name for the model: the name without `prefix`. Removes the model name of
 * another provider's message if the name equals `model`, because the models are different. Returns the same object for
 * the same message, because encoders cache their results by message object.
 */
function ownMessage(message: Message, prefix: string, model: string): Message {
	if (message.role !== "assistant") return message;
	if (message.model?.startsWith(prefix)) {
		const known = renamed.get(message) ?? { ...message, model: message.model.slice(prefix.length) };
		renamed.set(message, known);
		return known;
	}
	if (message.model !== model) return message;
	const known = unnamed.get(message) ?? { role: message.role, content: message.content };
	unnamed.set(message, known);
	return known;
}
