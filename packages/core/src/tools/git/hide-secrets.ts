import { isSecretName } from "../../policy/commands/secret-names.ts";

const HEADER = /^diff --(?:git|cc|combined) (.*)$/s;
/** Lines of a file in a patch; no other line of git's begins so, but for messages, which follow an empty one. */
const CONTENT = /^[-+ @\\]/;
const EXTENDED =
	/^(?:index|old mode|new mode|deleted file|new file|copy|rename|similarity|dissimilarity|Binary files) /;

/**
 * Takes the content of files that may hold keys or passwords out of patches. `lines` come from git with the prefixes
 * `a/` and `b/`, without colours, graphs or differences of words.
 */
export function hideSecrets(lines: readonly string[]): string[] {
	let hidden = false;
	return lines.flatMap((line) => {
		const names = HEADER.exec(line)?.[1];
		if (names !== undefined) {
			hidden = namesSecret(names);
			return hidden ? [line, "[its content may hold keys or passwords and is left out]"] : [line];
		}
		if (hidden && CONTENT.test(line)) return [];
		hidden &&= EXTENDED.test(line);
		return [line];
	});
}

/** `a/NAME b/NAME`, `"a/NAME" "b/NAME"` or `NAME`: a name may hold spaces, so that each piece is looked at. */
function namesSecret(names: string): boolean {
	const pieces = names.split(/[" ]+/).filter((piece) => piece !== "");
	return [names, ...pieces].some((piece) => isSecretName(`/${piece}`));
}

/** Takes names and passwords out of addresses. */
export function hideUserinfo(line: string): string {
	return line.replaceAll(/(:\/\/)[^/\s]*@/g, "$1…@");
}
