/** Leaves room for what a copy is told apart by; most file systems take 255. */
const maxBytes = 200;
const fallback = "file";

/** What shells, file systems or people would read as something else: also beyond ASCII, controls and direction marks. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>:"|?*]/gu;
/** https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file#naming-conventions */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?=\.|$)/i;

/**
 * A plain file name from what somebody calls a file: no directories, nothing hidden or invisible, no name that a system
 * keeps for itself, at most 200 bytes of UTF-8 with the ending kept; `file` where nothing is left.
 */
export function safeFileName(text: string): string {
	const base = text.split(/[/\\]/).at(-1) ?? "";
	const plain = base
		.normalize("NFC")
		.replaceAll(unsafe, "")
		.replaceAll(/\p{Zs}+/gu, " ")
		.replace(/^[. ]+/, "")
		.replace(/[. ]+$/, "");
	const free = reserved.test(plain) ? `_${plain}` : plain;
	return shortened(free) || fallback;
}

/** The name for the nth file that wants it, from 1: `report.pdf`, `report-2.pdf`, … */
export function nthName(name: string, n: number): string {
	const { stem, ending } = split(name);
	return n === 1 ? name : `${stem}-${n}${ending}`;
}

function shortened(name: string): string {
	const { stem, ending } = split(name);
	const room = maxBytes - Buffer.byteLength(ending);
	return `${within(stem, room)}${ending}`;
}

/** As many whole characters as fit. */
function within(text: string, room: number): string {
	let kept = "";
	let bytes = 0;
	for (const character of text) {
		bytes += Buffer.byteLength(character);
		if (bytes > room) return kept.trimEnd();
		kept += character;
	}
	return kept;
}

/** An ending longer than any that tells something is part of the name. */
function split(name: string): { readonly stem: string; readonly ending: string } {
	const ending = /(?<=.)(?:\.tar)?\.[^. ]{1,16}$/u.exec(name)?.[0] ?? "";
	return { stem: name.slice(0, name.length - ending.length), ending };
}
