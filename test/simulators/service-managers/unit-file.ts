/**
 * Values by key, in the order of the unit file, without its section names. A key may occur several times:
 * systemd.syntax(7).
 */
export type Unit = ReadonlyMap<string, readonly string[]>;

export function parseUnit(text: string): Unit {
	const unit = new Map<string, string[]>();
	for (const line of text.split("\n")) {
		if (line === "" || /^[#;]/.test(line) || /^\[\w+\]$/.test(line)) continue;
		const at = line.indexOf("=");
		if (at < 1) throw new Error(`Missing '=' in ${JSON.stringify(line)}`);
		const key = line.slice(0, at);
		unit.set(key, [...(unit.get(key) ?? []), line.slice(at + 1)]);
	}
	return unit;
}

/**
 * Returns the words of a value: unquoted words, and words in double quotes, in which a backslash escapes the
 * character after it. Resolves `%%`.
 */
export function wordsOf(value: string): string[] {
	const words: string[] = [];
	for (const [, quoted, bare] of value.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)) {
		words.push(specified(quoted === undefined ? (bare ?? "") : quoted.replaceAll(/\\(.)/g, "$1")));
	}
	return words;
}

/** Replaces `%%` with `%`. Throws for other specifiers of systemd.unit(5), because Parley does not write them. */
export function specified(text: string): string {
	return text.replaceAll(/%(.?)/g, (_, letter: string) => {
		if (letter !== "%") throw new Error(`a specifier in ${JSON.stringify(text)}`);
		return "%";
	});
}

/**
 * Returns the path of EnvironmentFile without its prefix `-` and its wildcard escapes: systemd.exec(5),
 * glob(7). Throws for wildcards.
 */
export function environmentFileOf(value: string): string {
	const pattern = specified(value.replace(/^-/, ""));
	if (/[*?[]/.test(pattern.replaceAll(/\\./g, "")))
		throw new Error(`a wildcard in ${JSON.stringify(pattern)}`);
	return pattern.replaceAll(/\\(.)/g, "$1");
}

/**
 * Returns the words of ExecStart. In arguments, but not in the path of the program, `$$` means a dollar sign:
 * systemd.service(5). Throws for variables in arguments.
 */
export function commandOf(value: string): string[] {
	return wordsOf(value).map((word, index) =>
		index === 0
			? word
			: word.replaceAll(/\$(.?)/g, (_, letter: string) => {
					if (letter !== "$") throw new Error(`a variable in ${JSON.stringify(word)}`);
					return "$";
				}),
	);
}
