import * as z from "zod";

/** The fields that the connector reads in components of any type: components/reference */
const Component = z.object({
	/** Text of a text display component. */
	content: z.string().optional().catch(undefined),
	custom_id: z.string().optional().catch(undefined),
	components: z.array(z.unknown()).catch([]),
});

export type ReadComponent = Pick<z.output<typeof Component>, "content" | "custom_id">;

/** Maximum depth of components that are read. */
const maxDepth = 4;

/** Returns the components and their nested components in reading order. Leaves out invalid components. */
export function readComponents(components: readonly unknown[], depth = 1): ReadComponent[] {
	return components.flatMap((data) => {
		const one = Component.safeParse(data).data;
		if (one === undefined) return [];
		return [one, ...(depth < maxDepth ? readComponents(one.components, depth + 1) : [])];
	});
}

/** Returns the text of a message: its content and its text displays. */
export function textOfMessage({
	content,
	components = [],
}: {
	readonly content: string;
	readonly components?: readonly unknown[];
}): string {
	const displayed = readComponents(components).map((component) => component.content ?? "");
	return [content, ...displayed].filter((text) => text !== "").join("\n");
}
