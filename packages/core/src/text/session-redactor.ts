import { type Logger, type RedactedStream, Redactor, type TextRedactor as Sink } from "@parley/base";

/** Redactor of the gateway's secrets. `into` returns the redactor of one sink. */
export interface TextRedactor extends Sink {
	readonly redactKnown: Redactor["redactKnown"];
	readonly into: Redactor["into"];
	onHit: Redactor["onHit"];
}

/** Minimum characters of a line of a multi-line password. Shorter lines are not removed on their own. */
const shortestLine = 8;

/**
 * Redacts the secrets of the gateway and the passwords of one session. Does not redact passwords of other
 * sessions, because they may be ordinary words in this session. Does not redact passwords of fewer than four
 * characters.
 */
export class SessionRedactor implements Sink {
	readonly #gateway: TextRedactor;
	#passwords: Redactor | undefined;

	constructor(gateway: TextRedactor) {
		this.#gateway = gateway;
	}

	/**
	 * Adds a password to remove from later text. For a multi-line password, each line of at least 8 characters is also
	 * removed.
	 */
	add(password: string): void {
		this.#passwords ??= this.#ownRedactor();
		this.#passwords.add(password);
		for (const line of password.split(/\r\n|\r|\n/)) {
			if (line.length >= shortestLine && line !== password) this.#passwords.add(line);
		}
	}

	redact(text: string): string {
		return this.#gateway.redact(this.#passwords?.redact(text) ?? text);
	}

	/**
	 * Removes only the secrets of the gateway and the passwords of the session, for text that a person wrote. Text with the
	 * shape of a credential stays.
	 */
	redactKnown(text: string): string {
		return this.#gateway.redactKnown(this.#passwords?.redactKnown(text) ?? text);
	}

	redactFields(value: unknown): unknown {
		return this.#gateway.redactFields(this.#passwords ? this.#passwords.redactFields(value) : value);
	}

	stream(): RedactedStream {
		return both(this.#gateway, this.#passwords).stream();
	}

	/** Returns the redactor for a sink. `sink` is the name of the sink in metrics. */
	into(sink: string): Sink {
		return both(this.#gateway.into(sink), this.#passwords?.into(sink));
	}

	#ownRedactor(): Redactor {
		const redactor = new Redactor();
		redactor.onHit = (sink) => this.#gateway.onHit(sink);
		return redactor;
	}

	/** Returns a log that receives no passwords of the session. */
	guard(log: Logger): Logger {
		const at = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: object) => {
			if (!this.#passwords) log[level](message, { ...fields });
			else log[level](this.#passwords.redact(message), clean(this.#passwords, fields));
		};
		return {
			debug: at("debug"),
			info: at("info"),
			warn: at("warn"),
			error: at("error"),
			child: (fields) => this.guard(log.child(fields)),
		};
	}
}

/** Combines two sinks. `inner` runs first, because a part of a password can look like a credential. */
function both(outer: Sink, inner: Sink | undefined): Sink {
	if (!inner) return outer;
	return {
		redact: (text) => outer.redact(inner.redact(text)),
		redactFields: (value) => outer.redactFields(inner.redactFields(value)),
		stream: () => {
			const [first, second] = [inner.stream(), outer.stream()];
			return {
				push: (text) => second.push(first.push(text)),
				end: () => second.push(first.end()) + second.end(),
			};
		},
	};
}

function clean(redactor: Redactor, fields: object = {}): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [name, redactor.redactFields(value)]),
	);
}
