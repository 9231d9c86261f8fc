import type { Dialect } from "../text/dialect.ts";
import { parseText } from "../text/parse-text.ts";
import { answerTexts } from "../texts/answers.ts";

/** Returns the note above the copy of an answer. `link` is the address of the closed thread or channel, if it has one. */
export function closedNote(link: string | undefined, dialect: Dialect): string {
	return dialect.write(parseText(answerTexts.elsewhere({ link })).blocks);
}
