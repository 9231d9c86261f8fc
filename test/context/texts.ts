import type { Random } from "../random.ts";

const words = (
	"the a of and to in for with on by kettle door window garden letter machine answer question morning evening " +
	"configuration repository compilation dependency approval session transcript message window budget function " +
	"variable condition exception thread socket payload schema migration index query transaction is was has runs " +
	"fails works returns throws waits sends reads writes keeps loses finds needs small large quick slow empty new"
).split(" ");

const han = "水火木金土日月山川田人口手目耳足心門車馬魚鳥花草";

export function prose(random: Random, length: number): string {
	return Array.from({ length }, () => random.pick(words)).join(" ");
}

export function code(random: Random, lines: number): string {
	return Array.from(
		{ length: lines },
		(_, line) =>
			`\tconst ${random.pick(words)}${line} = ${random.pick(words)}(${random.below(9_999)}, "${random.pick(words)}"); // ${line}`,
	).join("\n");
}

export function chinese(random: Random, length: number): string {
	return Array.from({ length }, () => random.pick([...han])).join("");
}

export function mixed(random: Random, size: number): string {
	return random.pick([prose(random, size), code(random, Math.ceil(size / 6)), chinese(random, size)]);
}
