import { type Logger, type RedactedStream, Redactor, type TextRedactor as Sink } from "@parley/base";

/** Takes secrets out of all that leaves, by the sink that it leaves into. */
export interface TextRedactor extends Sink {
	readonly redactKnown: Redactor["redactKnown"];
	readonly into: Redactor["into"];
	onHit: Redactor["onHit"];
}

/** Characters of a line that is taken out by itself, where a password has several. */
const shortestLine = 8;

/**
 * Takes out what the gateway's redactor knows, and the passwords that were given in one session: in others the same
 * text may be an ordinary word. Passwords under four characters are not taken out.
 */
export class SessionRedactor implements Sink {
	readonly #gateway: TextRedactor;
	#passwords: Redactor | undefined;

	constructor(gateway: TextRedactor) {
		this.#gateway = gateway;
	}

	/** From now on the password stands in nothing that passes here; of several lines none does. */
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

	/** What a person writes, without what is known to be a secret. */
	redactKnown(text: string): string {
		return this.#gateway.redactKnown(this.#passwords?.redactKnown(text) ?? text);
	}

	redactFields(value: unknown): unknown {
		return this.#gateway.redactFields(this.#passwords ? this.#passwords.redactFields(value) : value);
	}

	stream(): RedactedStream {
		return both(this.#gateway, this.#passwords).stream();
	}

	/** On the way into a sink, which is counted by this name. */
	into(sink: string): Sink {
		return both(this.#gateway.into(sink), this.#passwords?.into(sink));
	}

	#ownRedactor(): Redactor {
		const redactor = new Redactor();
		redactor.onHit = (sink) => this.#gateway.onHit(sink);
		return redactor;
	}

	/** The same log, which learns nothing that is taken out here. */
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

/** The passwords first: what a credential looks like may be part of one. */
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
