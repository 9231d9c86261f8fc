import { type Logger, type RedactedStream, Redactor } from "@parley/base";

/** Takes secrets out of a text, whole or in pieces. */
export type TextRedactor = Pick<Redactor, "redact" | "redactFields" | "stream">;

/** Characters of a line that is taken out by itself, where a password has several. */
const shortestLine = 8;

/**
 * Takes out what the gateway's redactor knows, and the passwords that were given in one session: in others the same
 * text may be an ordinary word. Passwords under four characters are not taken out.
 */
export class SessionRedactor implements TextRedactor {
	readonly #gateway: TextRedactor;
	#passwords: Redactor | undefined;

	constructor(gateway: TextRedactor) {
		this.#gateway = gateway;
	}

	/** From now on the password stands in nothing that passes here; of several lines none does. */
	add(password: string): void {
		this.#passwords ??= new Redactor();
		this.#passwords.add(password);
		for (const line of password.split(/\r\n|\r|\n/)) {
			if (line.length >= shortestLine && line !== password) this.#passwords.add(line);
		}
	}

	redact(text: string): string {
		return this.#gateway.redact(this.#passwords?.redact(text) ?? text);
	}

	redactFields(value: unknown): unknown {
		return this.#gateway.redactFields(this.#passwords ? this.#passwords.redactFields(value) : value);
	}

	stream(): RedactedStream {
		const outer = this.#gateway.stream();
		const inner = this.#passwords?.stream();
		if (!inner) return outer;
		return {
			push: (text) => outer.push(inner.push(text)),
			end: () => outer.push(inner.end()) + outer.end(),
		};
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

function clean(redactor: Redactor, fields: object = {}): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [name, redactor.redactFields(value)]),
	);
}
