import { type ESTree, Visitor } from "rolldown/utils";

/**
 * Returns the indexes at which functions, methods, accessors and constants with a function start in a source, including
 * `export`.
 */
export function functionStarts(program: ESTree.Program): ReadonlySet<number> {
	const starts = new Set<number>();
	const add = ({ start }: { readonly start: number }) => void starts.add(start);
	const addExported = (node: ESTree.ExportNamedDeclaration | ESTree.ExportDefaultDeclaration) => {
		const { declaration } = node;
		if (declaration !== null && isFunction(declaration)) add(node);
	};
	new Visitor({
		FunctionDeclaration: add,
		TSDeclareFunction: add,
		TSAbstractMethodDefinition: add,
		TSMethodSignature: add,
		ExportNamedDeclaration: addExported,
		ExportDefaultDeclaration: addExported,
		MethodDefinition(node) {
			if (node.kind !== "constructor") add(node);
		},
		Property(node) {
			if (node.method) add(node);
		},
		VariableDeclaration(node) {
			if (isFunction(node)) add(node);
		},
	}).visit(program);
	return starts;
}

function isFunction(node: ESTree.Node): boolean {
	if (node.type === "VariableDeclaration")
		return node.declarations.some(({ init }) => init !== null && isFunction(init));
	return /^(?:FunctionDeclaration|TSDeclareFunction|FunctionExpression|ArrowFunctionExpression)$/.test(
		node.type,
	);
}
