import * as z from "zod";
import type { ToolDescription } from "../../vocabulary/model.ts";
import type { Tool } from "../../vocabulary/tool.ts";

/** A schema costs a millisecond to describe and never changes, and every request to a model needs all of them. */
const descriptions = new WeakMap<Tool, ToolDescription>();

/** What a model is told about the tools; the same objects for the same tools. */
export function describeTools(tools: readonly Tool[]): ToolDescription[] {
	return tools.map((tool) => {
		const known = descriptions.get(tool);
		if (known) return known;
		const { $schema: _, ...parameters } =
			tool.schema?.() ?? z.toJSONSchema(tool.parameters(), { io: "input" });
		const description = { name: tool.name, description: tool.description, parameters };
		descriptions.set(tool, description);
		return description;
	});
}
