import { type Logger, type RedactedStream, Redactor, type TextRedactor as Sink } from "@parley/base";

/** Redactor of the gateway's secrets. `into` returns the redactor of one sink. */
export interface TextRedactor extends Sink {
	readonly redactKnown: Redactor["redactKnown"];
	readonly into: Redactor["into"];
	onHit: Redactor["onHit"];
}

/** Minimum characters of a line in a multi-line password for which the line alone is also removed. */
const shortestLine = 8;

/**
 * Redacts the secrets of the gateway and the passwords of one session. Does not redact passwords of other sessions,
 * because such a password may be an ordinary word in this session. Does not redact passwords of fewer than four
 * characters.
 */
export class SessionRedactor implements Sink {
	readonly #gateway: TextRedactor;
	#passwords: Redactor | undefined;

	constructor(gateway: TextRedactor) {
		this.#gateway = gateway;
	}

	/**
	 * Adds a password to remove from later text. If the password has several lines, each line of at least 8 characters
	 * is also removed.
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
	 * Removes only the secrets of the gateway and the passwords of the session. Does not remove text that only has the
	 * form of a credential. Used for text from people.
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

	/** Returns the redactor for the sink with the name `sink` in metrics. */
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

/**
 * Combines two sinks. `inner` runs before `outer`, because a part of a password can look like a credential, and `outer`
 * would remove only that part.
 */
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
