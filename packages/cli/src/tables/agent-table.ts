import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

type AgentList = MethodResult<"list_agents">;
type Agent = AgentList["agents"][number];

/** The agents in rows, and below them what is wrong with those that cannot be used. */
export function agentTable({ agents, problems }: AgentList, look: Look): string[] {
	const cells = [["NAME", "TITLE", "MODEL", "THINKS", "TOOLS"], ...agents.map(cellsOf)];
	const broken = problems.flatMap(({ name, message }) =>
		wrapText(`✗ ${visibleLine(name)}: ${visibleLine(message)}`, look.columns).map(look.styles.red),
	);
	return [...tableRows({ rows: cells, optional: [1], elastic: 4 }, look), ...broken];
}

function cellsOf({ name, title, model, reasoning, tools, server }: Agent): string[] {
	const where = server === undefined ? "" : ` at ${server}`;
	const named = `${model ?? "(the gateway's)"}${where}`;
	const allowed = tools === undefined ? "all" : tools.join(", ") || "none";
	return [name, title, named, reasoning ?? "", allowed].map(visibleLine);
}
