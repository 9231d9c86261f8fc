import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { isSentence, textOf } from "./source-prose.ts";

/** Properties whose values are always user texts, even a single word. */
const shown = new Set(["label", "title", "placeholder", "description", "text", "todo", "fix", "what"]);
const logLevels = new Set(["debug", "info", "warn", "error"]);

export interface UserText {
	readonly text: string;
	readonly start: number;
}

/**
 * Returns the sentences of a source, and the words of buttons, titles and forms, that users can see. Excludes log
 * messages. Includes errors only with `errors`: errors of a command are for its user, but errors of a connector
 * are for its log.
 */
export function userTexts(file: string, source: string, { errors: withErrors = false } = {}): UserText[] {
	const { program, errors } = parseSync(file, source);
	if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
	const texts: UserText[] = [];
	/** Source ranges of log calls and of excluded errors. */
	const others: (readonly [number, number])[] = [];
	const seen = new Set<ESTree.Node>();
	const add = (node: ESTree.Node, isWord = false): void => {
		if (seen.has(node)) return;
		const text = textOf(node);
		if (text === undefined || !(isSentence(text) || (isWord && /\p{L}{2}/u.test(text)))) return;
		seen.add(node);
		texts.push({ text, start: node.start });
	};
	const visitor = new Visitor({
		CallExpression({ callee, start, end }) {
			if (callee.type === "MemberExpression" && isLog(callee)) others.push([start, end]);
		},
		NewExpression({ callee, start, end }) {
			if (!withErrors && callee.type === "Identifier" && callee.name.endsWith("Error"))
				others.push([start, end]);
		},
		TaggedTemplateExpression: ({ quasi }) => void seen.add(quasi),
		TSLiteralType: ({ literal }) => void seen.add(literal),
		Property({ key, value }) {
			if (key.type === "Identifier" && shown.has(key.name)) add(value, true);
		},
		BinaryExpression(node) {
			if (node.operator !== "+") return;
			add(node);
			seen.add(node.left).add(node.right);
		},
		TemplateLiteral: (node) => add(node),
		Literal: (node) => add(node),
	});
	visitor.visit(program);
	return texts.filter(({ start }) => !others.some(([from, to]) => from <= start && start < to));
}

function isLog({ object, property }: ESTree.MemberExpression): boolean {
	if (property.type !== "Identifier" || !logLevels.has(property.name)) return false;
	const owner = object.type === "MemberExpression" ? object.property : object;
	return (owner.type === "Identifier" || owner.type === "PrivateIdentifier") && owner.name === "log";
}
